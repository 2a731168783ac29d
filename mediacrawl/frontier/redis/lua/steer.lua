-- needs: sites
-- An operator's order: WHAT.verb is pause, resume, or reconsider (a retired site that has not spent today's budget).
local name = WHAT.site
local site = load_site(name)
if not site then return 0 end
if WHAT.verb == 'pause' then
    if site[PLACE] ~= PAUSED then shelve(name, site, PAUSED) end
elseif site[PLACE] <= ACTIVE then
    return 0
elseif WHAT.verb == 'reconsider' then
    if site[PLACE] ~= RETIRED or is_spent(site) then return 0 end
    unshelve(name, site)
else
    if site[PLACE] == RETIRED then
        -- The requests that its finds earned are spent too.
        site[GRANTED] = site[VISITS] - further(site)
        site[STANDING], site[GONE], site[TROUBLES] = '', 0, 0
        site[ASLEEP] = site[DELAY] > WHAT.day and 1 or 0
        site[VERSION] = site[VERSION] + 1
    end
    unshelve(name, site)
end
save_site(name, site)
write_counts()
return 1
