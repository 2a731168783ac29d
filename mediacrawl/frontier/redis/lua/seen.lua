-- seen: linear hashing (Litwin, 1980). A bucket holds 380 keys at most in the mean, below the 512 to which Redis keeps a
-- set of integers as a sorted array, 8 bytes each; at every 190th key one bucket is split.

local FILL = 190

local function place_of(key, buckets, level)
    local hash = tonumber(string.sub(key, -9))
    if hash < 0 then hash = -hash end
    local bucket = hash % (2 * level)
    if bucket >= buckets then bucket = hash % level end
    return bucket
end

local function level_of(buckets)
    local level = 1
    while 2 * level <= buckets do level = 2 * level end
    return level
end

local function split_buckets(seen, buckets)
    while seen > FILL * buckets do
        local level = level_of(buckets)
        local old, new = PREFIX .. 'seen:' .. (buckets - level), PREFIX .. 'seen:' .. buckets
        local keys, stay, go = call('SMEMBERS', old), {}, {}
        for _, key in ipairs(keys) do
            local to = place_of(key, buckets + 1, level_of(buckets + 1)) == buckets and go or stay
            to[#to + 1] = key
        end
        call('DEL', old)
        for i = 1, #stay, 1000 do call('SADD', old, unpack(stay, i, math.min(i + 999, #stay))) end
        for i = 1, #go, 1000 do call('SADD', new, unpack(go, i, math.min(i + 999, #go))) end
        buckets = buckets + 1
    end
    call('HSET', PREFIX .. 'total', 'buckets', buckets)
end

