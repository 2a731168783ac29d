-- Removes entries of start_urls that have joined or were refused. One that another worker removed is not refused twice.
-- KEYS: the taken entries, the refused ones.
-- ARGV: refused ones that are kept; then for each entry the reason of its refusal, or '', and the entry.
local taken, refused = KEYS[1], KEYS[2]
local kind = redis.call('TYPE', refused).ok
if kind ~= 'none' and kind ~= 'list' then
    return redis.error_reply('WRONGTYPE ' .. refused .. ' is a ' .. kind .. ' and not a list')
end
for i = 2, #ARGV, 2 do
    local reason, entry = ARGV[i], ARGV[i + 1]
    if redis.call('ZREM', taken, entry) == 1 and reason ~= '' then
        redis.call('RPUSH', refused, reason .. ' ' .. entry)
    end
end
redis.call('LTRIM', refused, -ARGV[1], -1)
return 1
