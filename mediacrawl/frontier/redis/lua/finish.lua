-- needs: sites rows
-- Ends a visit. Answers {'over'} if its lease is not out, {'gone'} if its worker is not known either, {'changed', clocks} if
-- the site's clocks changed during the lease and must be computed from these, else {'done', when the next site is due}.
local leases = PREFIX .. 'leases:' .. WHAT.worker
local packed = call('HGET', leases, WHAT.lease)
if not packed then
    return {call('ZSCORE', PREFIX .. 'workers', WHAT.worker) and 'over' or 'gone'}
end
local out = unpack_or_fail(packed, leases)
local name, number, seq, shared, row = out[1], out[2], out[3], out[4], out[5]
local site = load_site(name)
local class = site and site[CLASSES][number]
if not class or site[LEASE] ~= WHAT.lease then return {'gone'} end
if site[VERSION] ~= WHAT.version then return {'changed', pack(clocks_of(site))} end
call('HDEL', leases, WHAT.lease)
count('leased', -1)
site[LEASE] = 0
if WHAT.hold > 0 then class[C_HELD] = NOW + WHAT.hold end
if WHAT.name then
    call('HINCRBY', PREFIX .. 'ends', WHAT.name, 1)
    call('SREM', PREFIX .. 'again', WHAT.key)
elseif WHAT.back then
    push_back(name, number, class, call('HINCRBY', PREFIX .. 'total', 'seq', 1), {WHAT.shared or shared, WHAT.row or row})
    came_back(site)
else
    push_front(name, number, class, seq, WHAT.shared or shared, WHAT.row or row)
    came_back(site)
end
set_clocks(site, WHAT.clocks)
site[EARNED] = site[EARNED] + WHAT.earned
settle(name, site)
save_site(name, site)
write_counts()
return {'done', string.format('%.17g', next_due())}
