"""The commands of the programs, one module each, found by `mediacrawl.commands.late`."""
