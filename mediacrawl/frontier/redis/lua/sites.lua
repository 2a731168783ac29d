-- Sites, and the penalty box.

local RELEASE, DELAY, CRAWL_DELAY, SAMPLES, VISITS, STANDING = 1, 2, 3, 4, 5, 6
local ASLEEP, GONE, TROUBLES, OWED, VERSION, EARNED, GRANTED = 7, 8, 9, 10, 11, 12, 13
local PLACE, DUE, RANK, RESTS, LEASE, BY, WAITING, CLASSES = 14, 15, 16, 17, 18, 19, 20, 21
-- Of a class; OFF: rows of the first element of its list that were taken; SEQ: arrival number of that element.
local C_NAME, C_SCORE, C_RANK, C_HELD, C_N, C_OFF, C_SEQ = 1, 2, 3, 4, 5, 6, 7
local IDLE, ACTIVE, PAUSED, RETIRED = 0, 1, 2, 3
local LONG_HELD = 1800

local function load_site(name)
    local packed = call('GET', PREFIX .. 'site:' .. name)
    if not packed then return nil end
    local site = unpack_or_fail(packed, PREFIX .. 'site:' .. name)
    if #site ~= CLASSES or type(site[CLASSES]) ~= 'table' or type(site[RELEASE]) ~= 'number' then
        spoiled(PREFIX .. 'site:' .. name)
    end
    return site
end

local function new_site()
    return {0, 0, 0, '\144', 0, '', 0, 0, 0, -1, 0, 0, 0, IDLE, 0, 0, 0, 0, 0, 0, {}}
end

local function save_site(name, site)
    call('SET', PREFIX .. 'site:' .. name, pack(site))
end

local function queue_of(name, class)
    return PREFIX .. 'q:' .. class .. ':' .. name
end

-- the penalty box

local function set_first(rank)
    local first = call('ZRANGE', PREFIX .. 'due:' .. rank, 0, 0, 'WITHSCORES')
    if first[1] then
        call('ZADD', PREFIX .. 'firsts', first[2], rank)
    else
        call('ZREM', PREFIX .. 'firsts', rank)
    end
end

local function leave_box(name, site)
    if call('ZREM', PREFIX .. 'due:' .. site[RANK], name) == 1 then set_first(site[RANK]) end
end

local function put(name, site, due, rank)
    if site[RANK] ~= rank then leave_box(name, site) end
    site[DUE], site[RANK] = due, rank
    call('ZADD', PREFIX .. 'due:' .. rank, due, name)
    set_first(rank)
end

local function count_rest(site)
    local rests = 0
    if site[PLACE] == ACTIVE then
        local long = site[DUE] - math.max(site[RELEASE], NOW) > LONG_HELD
        if site[ASLEEP] == 1 or long then rests = 1 end
    end
    count('resting', rests - site[RESTS])
    site[RESTS] = rests
end

-- The requests that a site gets for its finds, beyond its budget.
local function further(site)
    local found, most = (WHAT.earns or 0) * site[EARNED], WHAT.most or 0
    return most > 0 and math.min(found, math.max(most - (WHAT.budget or 0), 0)) or found
end

local function is_spent(site)
    if site[GONE] == 1 then return true end
    local budget = WHAT.budget or 0
    return budget > 0 and site[VISITS] - site[GRANTED] >= budget + further(site)
end

local function activate(name, site)
    if site[PLACE] == IDLE then
        site[PLACE] = ACTIVE
        count('active', 1)
        call('ZADD', PREFIX .. 'names', 0, name)
    end
end

local function shelve(name, site, place)
    if site[PLACE] > ACTIVE then
        count(site[PLACE] == PAUSED and 'paused' or 'retired', -1)
        if site[PLACE] == RETIRED then call('SREM', PREFIX .. 'retired', name) end
    else
        count('shelved', site[WAITING])
    end
    if site[PLACE] == ACTIVE then
        count('active', -1)
        if site[LEASE] == 0 then leave_box(name, site) end
    end
    site[PLACE] = place
    count(place == PAUSED and 'paused' or 'retired', 1)
    if place == RETIRED then call('SADD', PREFIX .. 'retired', name) end
    call('ZADD', PREFIX .. 'names', 0, name)
    count_rest(site)
end

-- Places a site that is not leased: idle, retired, or in the penalty box.
local function settle(name, site)
    if site[PLACE] > ACTIVE then return end
    if site[WAITING] > 0 and is_spent(site) then
        shelve(name, site, RETIRED)
        return
    end
    if site[WAITING] > 0 then
        local edge = math.max(NOW, site[RELEASE])
        local free, best, held
        for _, class in ipairs(site[CLASSES]) do
            if class[C_N] > 0 then
                if class[C_HELD] <= edge then
                    free = math.max(free or class[C_RANK], class[C_RANK])
                else
                    held = math.min(held or class[C_HELD], class[C_HELD])
                end
                best = math.max(best or class[C_RANK], class[C_RANK])
            end
        end
        activate(name, site)
        put(name, site, math.max(site[RELEASE], free and 0 or held), free or best)
    elseif site[PLACE] == ACTIVE then
        site[PLACE] = IDLE
        count('active', -1)
        leave_box(name, site)
        call('ZREM', PREFIX .. 'names', name)
    end
    count_rest(site)
end

local function unshelve(name, site)
    count('shelved', -site[WAITING])
    count(site[PLACE] == PAUSED and 'paused' or 'retired', -1)
    if site[PLACE] == RETIRED then call('SREM', PREFIX .. 'retired', name) end
    site[PLACE] = IDLE
    call('ZREM', PREFIX .. 'names', name)
    if site[LEASE] ~= 0 then
        activate(name, site)
        count_rest(site)
    else
        settle(name, site)
    end
end

-- A row waits again.
local function came_back(site)
    site[WAITING] = site[WAITING] + 1
    count('waiting', 1)
    if site[PLACE] > ACTIVE then count('shelved', 1) end
end

local function clocks_of(site)
    return {site[RELEASE], site[DELAY], site[CRAWL_DELAY], site[SAMPLES], site[VISITS], site[STANDING], site[VERSION]}
end

-- Sets a site's clocks after a visit or a charge. `release`, nil to keep it, is moved by the time that the message was
-- under way, so that a delay counts from the moment in which other workers learn of it.
local function set_clocks(site, clocks)
    if clocks.release then site[RELEASE] = clocks.release + (NOW - clocks.now) end
    site[DELAY], site[CRAWL_DELAY], site[SAMPLES] = clocks.delay, clocks.crawl_delay, clocks.samples
    site[VISITS], site[STANDING], site[ASLEEP] = clocks.visits, clocks.standing, clocks.asleep
    site[GONE], site[TROUBLES], site[OWED] = clocks.gone, clocks.troubles, clocks.owed
    site[VERSION] = site[VERSION] + 1
end
