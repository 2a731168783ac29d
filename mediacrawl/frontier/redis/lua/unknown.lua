-- needs: seen
-- Answers a string: for each of WHAT.keys 1 if it is known, else 0.
local buckets = math.max(total('buckets'), 1)
local level = level_of(buckets)
local known = {}
for i, key in ipairs(WHAT.keys) do
    known[i] = call('SISMEMBER', PREFIX .. 'seen:' .. place_of(key, buckets, level), key)
end
return table.concat(known)
