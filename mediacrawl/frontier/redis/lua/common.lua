-- What all scripts share. KEYS[1] is the frontier's prefix, ARGV[1] the time ('' for Redis's own clock), ARGV[2] what the
-- script is about, in msgpack. A script reads and checks first and writes then: Redis undoes nothing of one that fails.
--
-- <prefix>:total           hash    counters, see frontier/redis/store.py
-- <prefix>:ends            hash    how URLs ended -> how many
-- <prefix>:site:<site>     string  msgpack, the fields below
-- <prefix>:q:<class>:<site>  list  the class's FIFO: 8 bytes of arrival number, then msgpack (shared facts, row, row ...)
-- <prefix>:due:<rank>      zset    sites that wait, by the time they are due
-- <prefix>:firsts          zset    ranks, by the time their first site is due
-- <prefix>:names           zset    sites where something waits, in the order of their names
-- <prefix>:retired         set     retired sites
-- <prefix>:seen:<bucket>   set     64-bit keys of all URLs ever accepted, as integers
-- <prefix>:again           set     keys of those that joined once more after they had ended, and have not ended since
-- <prefix>:workers         zset    workers, by the time at which they count as dead
-- <prefix>:dead            set     workers that count as dead, and have leases still
-- <prefix>:leases:<worker> hash    lease -> msgpack (site, class, arrival, shared facts, row, taken)
-- <prefix>:note:<room>     hash    what other rooms keep
-- <prefix>:learned         stream  what workers tell each other of their visits, see learn.lua

local PREFIX = KEYS[1] .. ':'
local pack = cmsgpack.pack

local function spoiled(what)
    error({err = 'SPOILED ' .. what .. ' does not hold what mediacrawl wrote there'})
end

-- As redis.call, but Redis does not say which key is of another kind, or holds no number.
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

-- A crawl has a number in ``total``, which each of its workers knows. Without it the frontier was emptied under them, and
-- with another one it was begun anew: nothing is read or written then that belongs to somebody else's crawl.
local function check_crawl()
    if (WHAT.crawl or '') == '' then return end
    local crawl = call('HGET', PREFIX .. 'total', 'crawl')
    if crawl ~= WHAT.crawl then error({err = crawl and 'REPLACED by another crawl' or 'EMPTIED under its workers'}) end
end

-- counters: gathered, and written once at the end

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

-- Redis was started anew, and may have forgotten the last second: who was asked then must not be asked again at once, and
-- no number of a worker or a lease may come twice. Redis is asked itself, since a worker may not have seen that it was away.
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
