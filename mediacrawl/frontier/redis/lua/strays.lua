-- needs: sites rows
-- Returns leases of a worker that it does not have: the answer that announced them was lost, or Redis lost their end.
-- WHAT.asked: their sites may have been requested.
local leases = PREFIX .. 'leases:' .. WHAT.worker
local known, strays = {}, 0
for _, id in ipairs(WHAT.known) do known[tostring(id)] = true end
for _, id in ipairs(call('HKEYS', leases)) do
    if not known[id] then
        give_back(unpack_or_fail(call('HGET', leases, id), leases), WHAT.owed, WHAT.asked)
        call('HDEL', leases, id)
        strays = strays + 1
    end
end
write_counts()
return strays
