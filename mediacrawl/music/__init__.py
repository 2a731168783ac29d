"""Repairs the tags of music files on a disk.

The input is folders and files. The output is a table of wrong texts, and on request files with these texts in Unicode.
Only texts that change are written, and the audio keeps its bytes. A kill leaves each file whole, old or new, and
``--undo`` brings the originals back.

`reading` finds files and reads their tags with the readers of `mediacrawl.probe`. `deciding` decides the files of a
folder jointly. `writing` writes tags with mutagen, and compares all else. `originals` keeps the old file and puts the
new one in its place. `lists` converts playlists and cue sheets. `run` is the whole command but for what it prints.
"""
