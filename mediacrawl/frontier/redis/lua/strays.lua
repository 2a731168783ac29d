-- needs: sites rows
-- Leases of this worker of which it does not know go back: the answer that told of them was lost, or Redis forgot their
-- end. WHAT.asked: their sites may have been asked.
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
