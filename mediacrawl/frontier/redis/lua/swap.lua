-- Replaces a note if it is still WHAT.old (compare and set). Answers {1}, or {0, the present note}.
local hash = PREFIX .. 'note:' .. WHAT.namespace
local found = call('HGET', hash, WHAT.key) or ''
if found ~= WHAT.old then return {0, found} end
call('HSET', hash, WHAT.key, WHAT.new)
return {1}
