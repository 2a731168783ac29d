-- Shared by all scripts. KEYS[1] is the frontier's prefix, ARGV[1] the time ('' for Redis's own clock), ARGV[2] the
-- arguments in msgpack. A script reads and checks before it writes: Redis rolls nothing back when a script fails.
--
-- <prefix>:total           hash    counters, see frontier/redis/session.py
-- <prefix>:ends            hash    URLs by how they ended
-- <prefix>:site:<site>     string  msgpack, the fields below
-- <prefix>:q:<class>:<site>  list  the class's FIFO: 8 bytes of arrival number, then msgpack (shared facts, row, row ...)
-- <prefix>:due:<rank>      zset    sites that wait, by the time they are due
-- <prefix>:firsts          zset    ranks, by the time their first site is due
-- <prefix>:names           zset    sites where something waits, in the order of their names
-- <prefix>:retired         set     retired sites
-- <prefix>:seen:<bucket>   set     64-bit keys of all accepted URLs, as integers
-- <prefix>:again           set     keys of URLs that wait or are leased for another visit
-- <prefix>:workers         zset    workers, by the time at which they count as dead
-- <prefix>:dead            set     dead workers that still have leases
-- <prefix>:leases:<worker> hash    lease -> msgpack (site, class, arrival, shared facts, row, taken)
-- <prefix>:note:<namespace>  hash  notes of other packages, by key
-- <prefix>:learned         stream  visits that workers share, see learn.lua

local PREFIX = KEYS[1] .. ':'
local pack = cmsgpack.pack

local function spoiled(what)
    error({err = 'SPOILED ' .. what .. ' does not hold what mediacrawl wrote there'})
end

-- As redis.call, but its error names the key if that has another type, or is no number.
local function call(command, ...)
    local answer = redis.pcall(command, ...)
    if type(answer) ~= 'table' or not answer.err then return answer end
    -- Redis 6.2 says "@user_script: 29: -OOM command not allowed".
    local words = string.gsub(string.gsub(answer.err, '^@%S+ ?%d*:? ?%-?', ''), '%s+$', '')
    if string.find(words, '^WRONGTYPE') or string.find(words, ' is not an? ') then
        spoiled((...) .. ' (' .. words .. ')')
    end
    error({err = words})
end

local function now_of(told)
    if told ~= '' then return tonumber(told) end
    local t = call('TIME')
    return tonumber(t[1]) + tonumber(t[2]) / 1000000
end

local NOW = now_of(ARGV[1])

local function unpack_or_fail(packed, what)
    local fine, value = pcall(cmsgpack.unpack, packed)
    if fine and type(value) == 'table' then return value end
    spoiled(what)
end

local WHAT = unpack_or_fail(ARGV[2], 'the message')

-- A crawl has a number in ``total``, which its workers know. If the number is missing the frontier was emptied, and if it
-- differs another crawl was begun: then nothing is read or written.
local function check_crawl()
    if (WHAT.crawl or '') == '' then return end
    local crawl = call('HGET', PREFIX .. 'total', 'crawl')
    if crawl ~= WHAT.crawl then error({err = crawl and 'REPLACED by another crawl' or 'EMPTIED under its workers'}) end
end

-- Changes of counters gather here; write_counts writes them once at the end of a script.

local deltas = {}

local function count(name, number)
    deltas[name] = (deltas[name] or 0) + number
end

local function total(name)
    local value = call('HGET', PREFIX .. 'total', name)
    return value and (tonumber(value) or spoiled(PREFIX .. 'total (' .. name .. ')')) or 0
end

local function write_counts()
    for name, number in pairs(deltas) do
        if number ~= 0 then
            local value = call('HINCRBY', PREFIX .. 'total', name, number)
            if name == 'active' and number > 0 then
                if value > total('most') then call('HSET', PREFIX .. 'total', 'most', value) end
            end
        end
    end
end

local function run_now()
    return string.match(call('INFO', 'server'), 'run_id:(%x+)')
end

-- After a restart Redis may have lost the last second: sites that were asked in it must wait, and no number of a worker or
-- a lease may be given twice. The run_id shows a restart even if no worker noticed an outage.
local function note_run()
    local run = run_now()
    local before = call('HGET', PREFIX .. 'total', 'run')
    if before == run then return end
    call('HSET', PREFIX .. 'total', 'run', run)
    if not before then return end
    call('HSET', PREFIX .. 'total', 'quiet', NOW + WHAT.quiet)
    call('HINCRBY', PREFIX .. 'total', 'worker', 1000)
    call('HINCRBY', PREFIX .. 'total', 'lease', 1000000)
end

local function next_due()
    local first = call('ZRANGE', PREFIX .. 'firsts', 0, 0, 'WITHSCORES')
    local due = first[1] and tonumber(first[2]) or -1
    if due >= 0 then due = math.max(due, tonumber(call('HGET', PREFIX .. 'total', 'quiet') or 0)) end
    return due
end
