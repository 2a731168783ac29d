-- Entries of start_urls have joined, or were refused. What another worker has settled meanwhile is not refused twice.
-- KEYS: where they lie until they have joined, where refused ones go.
-- ARGV: refused ones that are kept; then for each entry why it was refused, or '', and the entry.
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
