"""Repairs the tags of music files on a disk: decides the files of a folder jointly, reports, and rewrites them.

In come folders and files. Out go a table of wrong texts, and on request files with these texts in Unicode. Only texts
that change are written; the audio stays the same byte for byte; a kill leaves each file whole, old or new; a journal
restores the old files byte for byte.

`reading` finds files and reads their tags with the readers of `mediacrawl.probe`, `deciding` decides the files of a
folder, `writing` rewrites one file (with mutagen, or `own_tags` for tags that mutagen cannot write or would damage),
`audio` hashes the audio, `replacing` replaces the old file by the new one, `journal` and `delta` undo it, `playlists`
does the same for playlists and cue sheets, and `run` is the whole command.
"""
