-- needs: sites rows
-- A worker leaves. Its leases return to their places at once, since they were not requested.
local leases = PREFIX .. 'leases:' .. WHAT.worker
for _, packed in ipairs(call('HVALS', leases)) do give_back(unpack_or_fail(packed, leases), 0, false) end
call('DEL', leases)
call('ZREM', PREFIX .. 'workers', WHAT.worker)
write_counts()
return 1
