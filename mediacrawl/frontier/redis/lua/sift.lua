-- needs: sites rows seen
-- Removes rows of a class. WHAT.changes: {place in the list, element as it was,
-- element as it is to be, or ''}; WHAT.keys: of the removed URLs.
-- Answers -1, with nothing changed, if the list has changed since it was read; else how many.
local site = load_site(WHAT.site)
local class = site and site[CLASSES][WHAT.class]
if not class or class[C_OFF] ~= WHAT.off then return -1 end
local queue = queue_of(WHAT.site, WHAT.class)
for _, change in ipairs(WHAT.changes) do
    if call('LINDEX', queue, change[1]) ~= change[2] then return -1 end
end
for _, change in ipairs(WHAT.changes) do
    call('LSET', queue, change[1], change[3])
    count('bytes', #change[3] - #change[2])
    -- The new first element has no taken rows.
    if change[1] == 0 then class[C_OFF] = 0 end
end
call('LREM', queue, 0, '')
class[C_SEQ] = 0
local first = call('LINDEX', queue, 0)
if first then class[C_SEQ] = number_of(first) end
local rows = #WHAT.keys
class[C_N] = class[C_N] - rows
site[WAITING] = site[WAITING] - rows
count('waiting', -rows)
if site[PLACE] > ACTIVE then count('shelved', -rows) end
if WHAT.name then call('HINCRBY', PREFIX .. 'ends', WHAT.name, rows) end
local buckets = math.max(total('buckets'), 1)
local level = level_of(buckets)
for _, key in ipairs(WHAT.keys) do
    if call('SREM', PREFIX .. 'again', key) == 1 then
        -- A pruned revisit is only cancelled: the URL had ended, and stays known.
        if not WHAT.name then count('again', -1) end
    elseif not WHAT.name then
        count('seen', -call('SREM', PREFIX .. 'seen:' .. place_of(key, buckets, level), key))
    end
end
if site[LEASE] == 0 then settle(WHAT.site, site) end
save_site(WHAT.site, site)
write_counts()
return rows
