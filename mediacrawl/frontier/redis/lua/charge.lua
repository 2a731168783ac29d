-- needs: sites
-- Sets a site's clocks after a request outside a lease. Answers as finish.lua does.
local site = load_site(WHAT.site)
local made = not site
site = site or new_site()
if site[VERSION] ~= WHAT.version then return {'changed', pack(clocks_of(site))} end
if made then count('sites', 1) end
set_clocks(site, WHAT.clocks)
site[EARNED] = site[EARNED] + WHAT.earned
if site[PLACE] == RETIRED and not is_spent(site) then unshelve(WHAT.site, site) end
if site[LEASE] == 0 and site[PLACE] == ACTIVE then settle(WHAT.site, site) end
count_rest(site)
save_site(WHAT.site, site)
write_counts()
return {'done', string.format('%.17g', next_due())}
