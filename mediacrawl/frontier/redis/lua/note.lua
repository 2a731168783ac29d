-- A note is written, whatever it was before.
call('HSET', PREFIX .. 'note:' .. WHAT.room, WHAT.key, WHAT.record)
return 1
