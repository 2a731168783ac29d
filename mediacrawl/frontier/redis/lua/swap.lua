-- A note becomes another one, unless it is not any more what it was taken for. Answers {1} or {0, what it is}.
local hash = PREFIX .. 'note:' .. WHAT.room
local found = call('HGET', hash, WHAT.key) or ''
if found ~= WHAT.old then return {0, found} end
call('HSET', hash, WHAT.key, WHAT.new)
return {1}
