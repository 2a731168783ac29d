-- needs: sites rows
-- A worker leaves; what it holds goes back to its place at once, since it was not asked.
local leases = PREFIX .. 'leases:' .. WHAT.worker
for _, packed in ipairs(call('HVALS', leases)) do give_back(unpack_or_fail(packed, leases), 0, false) end
call('DEL', leases)
call('ZREM', PREFIX .. 'workers', WHAT.worker)
write_counts()
return 1
