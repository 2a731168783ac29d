-- needs: sites rows seen
-- Adds URLs. WHAT.groups: {site, class, score, rank, shared facts, {key, row, key, row ...}, coarser class}; each of one
-- site and class. A site has WHAT.classes classes at most, WHAT.coarse of them coarse ones.
-- With WHAT.again only URLs that are known join, each once until it has ended, and their class gets the score.
-- Answers how many joined, and when the next site is due.
local sites = {}
local made = {}
for _, group in ipairs(WHAT.groups) do
    local name = group[1]
    if not sites[name] then
        sites[name] = load_site(name)
        made[name] = not sites[name]
        sites[name] = sites[name] or new_site()
    end
end
local buckets = math.max(total('buckets'), 1)
local level = level_of(buckets)
local joined = 0
local changed = {}
local seq = 0

local function joins(key)
    local bucket = PREFIX .. 'seen:' .. place_of(key, buckets, level)
    if WHAT.again then
        return call('SISMEMBER', bucket, key) == 1 and call('SADD', PREFIX .. 'again', key) == 1
    end
    return call('SADD', bucket, key) == 1
end

-- As site_state.class_for: a class of its own, else a coarser one, else the one of the others.
local function class_of(site, group)
    local classes = site[CLASSES]
    local found = {}
    for number, class in ipairs(classes) do
        found[class[C_NAME]] = number
    end
    local name, coarse = group[2], group[7]
    if not found[name] then
        -- The classes of revisits and of data requests are added at any site.
        if name == 'again' or name == 'adapter' then
            name = #classes < 255 and name or 'other'
        elseif #classes >= WHAT.classes - 1 - WHAT.coarse then
            name = (found[coarse] or #classes < WHAT.classes - 1) and coarse or 'other'
        end
    end
    local number = found[name]
    if not number then
        number = #classes + 1
        classes[number] = {name, group[3], group[4], 0, 0, 0, 0}
    end
    return number, classes[number]
end

-- Places a site again, which may be due earlier or have a better rank.
local function call_site(name, site, class)
    local edge = math.max(site[RELEASE], NOW)
    local due = math.max(edge, class[C_HELD])
    if site[PLACE] == IDLE then
        activate(name, site)
        put(name, site, due, class[C_RANK])
    elseif due < site[DUE] and site[DUE] > edge then
        put(name, site, due, class[C_RANK])
    elseif class[C_RANK] > site[RANK] and class[C_HELD] <= edge then
        put(name, site, site[DUE], class[C_RANK])
    else
        return
    end
    count_rest(site)
end

for _, group in ipairs(WHAT.groups) do
    local name, keys = group[1], group[6]
    local site, fresh = sites[name], {group[5]}
    for i = 1, #keys, 2 do
        if joins(keys[i]) then fresh[#fresh + 1] = keys[i + 1] end
    end
    local new = #fresh - 1
    if new > 0 then
        if seq == 0 then seq = call('HINCRBY', PREFIX .. 'total', 'seq', #WHAT.groups) - #WHAT.groups end
        seq = seq + 1
        local number, class = class_of(site, group)
        if WHAT.again then class[C_SCORE], class[C_RANK] = group[3], group[4] end
        push_back(name, number, class, seq, fresh)
        site[WAITING] = site[WAITING] + new
        count('waiting', new)
        if site[PLACE] > ACTIVE then
            count('shelved', new)
        elseif site[LEASE] == 0 and WHAT.again then
            settle(name, site)
        elseif site[LEASE] == 0 then
            call_site(name, site, class)
        end
        changed[name] = site
        joined = joined + new
    end
end
for name, site in pairs(changed) do
    if made[name] then count('sites', 1) end
    save_site(name, site)
end
count(WHAT.again and 'again' or 'seen', joined)
write_counts()
if joined > 0 and not WHAT.again then split_buckets(total('seen'), buckets) end
return {joined, string.format('%.17g', next_due())}
