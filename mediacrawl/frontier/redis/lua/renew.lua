-- needs: sites rows
-- Renews a worker's leases, and returns those of a dead one. Answers {is this worker known, leases returned, counters, ends,
-- sites that are due, the time, when the next site is due, keys that Redis has evicted since its start}.
note_run()
local heard = total('heard')
if NOW - heard > WHAT.lease / 3 then
    -- No worker was heard for long, so Redis was away: live workers get time to renew.
    for _, worker in ipairs(call('ZRANGEBYSCORE', PREFIX .. 'workers', '-inf', NOW + WHAT.lease / 3)) do
        call('ZADD', PREFIX .. 'workers', NOW + WHAT.lease / 3, worker)
    end
end
call('HSET', PREFIX .. 'total', 'heard', NOW)
local known = 0
if WHAT.worker > 0 and call('ZSCORE', PREFIX .. 'workers', WHAT.worker) then
    known = 1
    call('ZADD', PREFIX .. 'workers', NOW + WHAT.lease, WHAT.worker)
end
-- A dead worker is removed before its first lease is returned, so that its late requests are charged.
local dead = call('ZRANGEBYSCORE', PREFIX .. 'workers', '-inf', NOW, 'LIMIT', 0, 1)[1]
if dead then
    call('ZREM', PREFIX .. 'workers', dead)
    call('SADD', PREFIX .. 'dead', dead)
end
dead = call('SRANDMEMBER', PREFIX .. 'dead')
local reaped = 0
if dead then
    local leases = PREFIX .. 'leases:' .. dead
    -- Not HSCAN: restarted each time, it would scan the same empty buckets of a large hash.
    local held = call('HRANDFIELD', leases, 50, 'WITHVALUES')
    for i = 1, #held, 2 do
        give_back(unpack_or_fail(held[i + 1], leases), WHAT.owed, true)
        call('HDEL', leases, held[i])
        reaped = reaped + 1
    end
    if call('EXISTS', leases) == 0 then call('SREM', PREFIX .. 'dead', dead) end
end
write_counts()
local ready = 0
for _, rank in ipairs(call('ZRANGEBYSCORE', PREFIX .. 'firsts', '-inf', NOW)) do
    ready = ready + call('ZCOUNT', PREFIX .. 'due:' .. rank, '-inf', NOW)
end
return {known, reaped, call('HGETALL', PREFIX .. 'total'), call('HGETALL', PREFIX .. 'ends'), ready,
        string.format('%.17g', NOW), string.format('%.17g', next_due()),
        string.match(call('INFO', 'stats'), 'evicted_keys:(%d+)') or 0}
