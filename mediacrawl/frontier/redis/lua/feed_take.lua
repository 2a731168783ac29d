-- Takes entries of start_urls: first those that were taken and have not joined in time, then new ones.
-- KEYS: where they are put, where they lie until they have joined (by deadline), where refused ones go.
-- ARGV: entries at most, bytes at most, seconds until a deadline, bytes of the longest entry, refused ones that are kept.
-- Answers {how many are left, how many were too long, the entries}.
local source, taken, refused = KEYS[1], KEYS[2], KEYS[3]
local most, bytes_left, lease, longest, kept = unpack(ARGV)
most, bytes_left, longest = tonumber(most), tonumber(bytes_left), tonumber(longest)

local function kind_of(key) return redis.call('TYPE', key).ok end

local function mismatch(key, wanted)
    local kind = kind_of(key)
    if kind == 'none' or kind == wanted then return nil end
    return redis.error_reply('WRONGTYPE ' .. key .. ' is a ' .. kind .. ' and not a ' .. wanted)
end

local kind = kind_of(source)
local pop = ({
    list = function() return redis.call('LPOP', source) end,
    set = function() return redis.call('SPOP', source) end,
    zset = function() return redis.call('ZPOPMAX', source)[1] end,
    none = function() return false end,
})[kind]
if not pop then
    return redis.error_reply('WRONGTYPE ' .. source .. ' is a ' .. kind .. ' and not a list, set or zset')
end
-- Checked before anything is taken: Redis rolls nothing back when a script fails.
local wrong = mismatch(taken, 'zset') or mismatch(refused, 'list')
if wrong then return wrong end

local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local found, too_long = {}, 0
local is_mine = {}

local function accept(entry)
    if is_mine[entry] then return end
    if #entry > longest then
        too_long = too_long + 1
        redis.call('ZREM', taken, entry)
        redis.call('RPUSH', refused, 'too_long ' .. entry)
        return
    end
    redis.call('ZADD', taken, now + lease, entry)
    is_mine[entry] = true
    found[#found + 1] = entry
    bytes_left = bytes_left - #entry
end

local overdue = redis.call('ZRANGEBYSCORE', taken, '-inf', now, 'LIMIT', 0, most)
for _, entry in ipairs(overdue) do
    if bytes_left <= 0 then break end
    accept(entry)
end
-- Bounded by the pops: a list of duplicates alone must not block Redis.
for _ = 1, most - #overdue do
    local entry = bytes_left > 0 and pop()
    if not entry then break end
    accept(entry)
end
if too_long > 0 then redis.call('LTRIM', refused, -kept, -1) end

local left = redis.call('ZCARD', taken) - #found
if kind ~= 'none' then
    left = left + redis.call(({list = 'LLEN', set = 'SCARD', zset = 'ZCARD'})[kind], source)
end
return {left, too_long, found}
