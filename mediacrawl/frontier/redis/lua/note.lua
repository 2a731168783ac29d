-- Writes a note.
call('HSET', PREFIX .. 'note:' .. WHAT.namespace, WHAT.key, WHAT.record)
return 1
