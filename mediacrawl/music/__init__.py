"""Music on a disk: the tags of files in folders, decided together, shown, and rewritten so that it can be undone.

Comes in: folders and files. Goes out: a table of what is wrong, and on request files whose wrong texts are Unicode.
It promises: only the texts that change are written; the audio is the same, byte for byte; a kill leaves each file
whole, old or new; and a journal leads back to the old files, byte for byte.

`reading` reads the tags with the readers of `mediacrawl.probe`, `deciding` decides the files of a folder,
`writing` rewrites one file (by mutagen, or by `own_tags` for what mutagen cannot write or would lose), `audio` tells
where the audio is, `replacing` puts the new file in the place of the old one, `journal` and `delta` undo it,
`playlists` does the same for playlists and cue sheets, and `run` is the whole command.
"""
