-- The FIFOs of the classes. Needs sites.lua.

local function number_of(element)
    return (struct.unpack('>I8', element))
end

local function rows_of(element, queue)
    return unpack_or_fail(string.sub(element, 9), queue)
end

local function element_of(seq, rows)
    return struct.pack('>I8', seq) .. pack(rows)
end

-- Removes and answers the next row of a class, which must have one.
local function pop_row(name, number, class)
    local queue = queue_of(name, number)
    local element = call('LINDEX', queue, 0)
    if not element then error('SPOILED ' .. queue .. ' is gone', 0) end
    local seq, rows = number_of(element), rows_of(element, queue)
    local row = rows[class[C_OFF] + 2]
    if type(row) ~= 'string' or type(rows[1]) ~= 'string' then
        spoiled(queue)
    end
    class[C_OFF] = class[C_OFF] + 1
    class[C_N] = class[C_N] - 1
    if class[C_OFF] + 1 >= #rows then
        local following = call('LINDEX', queue, 1)
        class[C_OFF], class[C_SEQ] = 0, following and number_of(following) or 0
        call('LPOP', queue)
        count('bytes', -#element)
    end
    return seq, rows[1], row
end

local function push_front(name, number, class, seq, shared, row)
    local queue = queue_of(name, number)
    if class[C_OFF] > 0 then
        local element = call('LINDEX', queue, 0)
        local rows, left = rows_of(element, queue), {}
        left[1] = rows[1]
        for i = class[C_OFF] + 2, #rows do left[#left + 1] = rows[i] end
        local shorter = element_of(number_of(element), left)
        call('LSET', queue, 0, shorter)
        count('bytes', #shorter - #element)
        class[C_OFF] = 0
    end
    local first = element_of(seq, {shared, row})
    call('LPUSH', queue, first)
    count('bytes', #first)
    class[C_SEQ] = seq
    class[C_N] = class[C_N] + 1
end

local function push_back(name, number, class, seq, rows)
    local element = element_of(seq, rows)
    call('RPUSH', queue_of(name, number), element)
    count('bytes', #element)
    if class[C_N] == 0 then class[C_SEQ] = seq end
    class[C_N] = class[C_N] + #rows - 1
end

-- Returns a lease. now_owed: its site may have been requested a moment ago, and waits its delay.
local function give_back(lease, owed_first, now_owed)
    local name, number, seq, shared, row = lease[1], lease[2], lease[3], lease[4], lease[5]
    local site = load_site(name)
    if not site then return end
    site[LEASE] = 0
    push_front(name, number, site[CLASSES][number], seq, shared, row)
    came_back(site)
    if now_owed then
        local owed = site[OWED] >= 0 and site[OWED] or owed_first
        site[RELEASE] = math.max(site[RELEASE], NOW + owed)
    end
    count('leased', -1)
    settle(name, site)
    save_site(name, site)
end

