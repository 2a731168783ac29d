-- A worker joins. Answers {'welcome', its number, the crawl's}, or {'layout', found}, {'order', found}, {'scored', found} or
-- {'emptied', ''} if it must not join. WHAT.new: number of the crawl, if it begins now; WHAT.begun: it must have begun.
local layout = call('HGET', PREFIX .. 'total', 'layout')
if layout and layout ~= WHAT.layout then return {'layout', layout} end
local order = call('HGET', PREFIX .. 'total', 'order')
local is_begun = total('waiting') + total('leased') > 0
if order and order ~= WHAT.order and is_begun then return {'order', order} end
local scored = call('HGET', PREFIX .. 'total', 'scored')
if scored and WHAT.scored ~= '' and scored ~= WHAT.scored and is_begun then return {'scored', scored} end
if WHAT.works and not call('HGET', PREFIX .. 'total', 'crawl') then
    -- Everything is gone after another worker began the crawl, or the counters are gone and the keys are not.
    if WHAT.begun or (total('seen') == 0 and call('EXISTS', PREFIX .. 'seen:0') == 1) then return {'emptied', ''} end
    call('HSET', PREFIX .. 'total', 'crawl', WHAT.new)
end
local crawl = call('HGET', PREFIX .. 'total', 'crawl') or ''
if WHAT.works and WHAT.scored ~= '' then call('HSET', PREFIX .. 'total', 'scored', WHAT.scored) end
call('HSET', PREFIX .. 'total', 'layout', WHAT.layout, 'order', WHAT.order)
note_run()
if not WHAT.works then return {'welcome', 0, crawl} end
local worker = call('HINCRBY', PREFIX .. 'total', 'worker', 1)
call('ZADD', PREFIX .. 'workers', NOW + WHAT.lease, worker)
return {'welcome', worker, crawl}
