-- needs: sites rows
-- Leases URLs for a worker. WHAT.draws: for each pick {chance or -1, ranks in the order of preference, those for the class}.
-- Answers {leases in msgpack, time, when the next site is due}.
local leases = {}
local worker = WHAT.worker

local function chosen(ranks, order)
    if order and #order > 0 then
        for _, wanted in ipairs(order) do
            for _, rank in ipairs(ranks) do
                if rank == wanted then return rank end
            end
        end
    end
    return math.max(unpack(ranks))
end

-- Each site that is due has the same chance.
local function pick_even(ranks, chance)
    local due, counts = 0, {}
    for i, rank in ipairs(ranks) do
        counts[i] = call('ZCOUNT', PREFIX .. 'due:' .. rank, '-inf', NOW)
        due = due + counts[i]
    end
    local place = math.floor(chance * due)
    for i, rank in ipairs(ranks) do
        if place < counts[i] then return call('ZRANGE', PREFIX .. 'due:' .. rank, place, place)[1] end
        place = place - counts[i]
    end
end

local function pick(draw)
    local ranks = {}
    for i, rank in ipairs(call('ZRANGEBYSCORE', PREFIX .. 'firsts', '-inf', NOW)) do
        -- Limits the arguments of max; only the highest ranks matter, and there are hardly so many.
        if i <= 5000 then ranks[i] = tonumber(rank) end
    end
    if #ranks == 0 then return nil end
    if draw[1] >= 0 then return pick_even(ranks, draw[1]) end
    return call('ZRANGE', PREFIX .. 'due:' .. chosen(ranks, draw[2]), 0, 0)[1]
end

local function class_for(site, draw)
    local free = {}
    for number, class in ipairs(site[CLASSES]) do
        if class[C_N] > 0 and class[C_HELD] <= NOW then free[#free + 1] = number end
    end
    if #free == 0 then return nil end
    local rank
    if site[TROUBLES] == 0 and draw[1] >= 0 then
        return free[math.floor(draw[4] * #free) + 1]
    elseif site[TROUBLES] == 0 then
        local ranks = {}
        for i, number in ipairs(free) do ranks[i] = site[CLASSES][number][C_RANK] end
        rank = chosen(ranks, draw[3])
    end
    local first
    for _, number in ipairs(free) do
        local class = site[CLASSES][number]
        if not rank or class[C_RANK] == rank then
            if not first or class[C_SEQ] < site[CLASSES][first][C_SEQ] then first = number end
        end
    end
    return first
end

local function lease(name, draw)
    local site = load_site(name)
    if not site then error('SPOILED ' .. PREFIX .. 'site:' .. name .. ' is gone', 0) end
    local may = site[RELEASE] <= NOW and not is_spent(site)
    local number = may and class_for(site, draw)
    if not number then
        settle(name, site)
        save_site(name, site)
        return
    end
    local class = site[CLASSES][number]
    local seq, shared, row = pop_row(name, number, class)
    local id = call('HINCRBY', PREFIX .. 'total', 'lease', 1)
    leave_box(name, site)
    local before = site[BY]
    site[LEASE], site[BY], site[WAITING] = id, worker, site[WAITING] - 1
    count('waiting', -1)
    count('leased', 1)
    call('HSET', PREFIX .. 'leases:' .. worker, id, pack({name, number, seq, shared, row, NOW}))
    save_site(name, site)
    leases[#leases + 1] = {id, name, class[C_NAME], shared, row, clocks_of(site), draw[1] >= 0, before}
end

local function lease_all()
    local tries = 0
    for _, draw in ipairs(WHAT.draws) do
        local wanted = #leases + 1
        while #leases < wanted and tries < 4 * #WHAT.draws + 64 do
            local name = pick(draw)
            if not name then break end
            tries = tries + 1
            lease(name, draw)
        end
        if #leases < wanted then break end
    end
end

-- False between a restart of Redis and the first worker that notes it.
local is_noted = call('HGET', PREFIX .. 'total', 'run') == run_now()

if is_noted and total('quiet') <= NOW and call('ZSCORE', PREFIX .. 'workers', worker) then
    local fine, wrong = pcall(lease_all)
    if not fine then
        -- A site is spoiled. Those before it are leased, and must be counted.
        write_counts()
        error(wrong, 0)
    end
end
write_counts()
return {pack(leases), string.format('%.17g', NOW), string.format('%.17g', next_due())}
