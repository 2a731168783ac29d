-- needs: sites
-- Classes of a site get new scores. WHAT.scores: name -> {score, rank}.
local site = load_site(WHAT.site)
if not site then return 0 end
local changed, moved = 0, false
for _, class in ipairs(site[CLASSES]) do
    local told = WHAT.scores[class[C_NAME]]
    if told and told[1] ~= class[C_SCORE] then
        -- The best waiting class decides the site's rank.
        moved = moved or (class[C_N] > 0 and told[2] ~= class[C_RANK] and math.max(told[2], class[C_RANK]) >= site[RANK])
        class[C_SCORE], class[C_RANK] = told[1], told[2]
        changed = changed + 1
    end
end
if changed == 0 then return 0 end
if moved and site[LEASE] == 0 and site[PLACE] == ACTIVE then settle(WHAT.site, site) end
save_site(WHAT.site, site)
write_counts()
return changed
