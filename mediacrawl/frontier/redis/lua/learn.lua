-- Publishes a worker's WHAT.visits visits as WHAT.batch, and reads the batches after visit number WHAT.after. The id of an
-- element is the number of its last visit, over all workers: so the last WHAT.keep visits are kept, whatever the size of
-- the batches. Answers {number of the last visit, {number, batch, number, batch ...}},
-- some WHAT.most visits of them at most.
local stream = PREFIX .. 'learned'

local function number_of(element)
    return element and tonumber(string.match(element[1], '^%d+')) or 0
end

local function text(number)
    return string.format('%.0f', number)
end

local last = number_of(call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1])
if WHAT.visits > 0 then
    last = last + WHAT.visits
    call('XADD', stream, 'MINID', '~', text(math.max(last - WHAT.keep, 0)), text(last), 'batch', WHAT.batch)
end
local found = {}
local first = call('XRANGE', stream, '(' .. text(WHAT.after), '+', 'COUNT', 1)[1]
if first then
    for _, element in ipairs(call('XRANGE', stream, first[1], text(number_of(first) + WHAT.most))) do
        found[#found + 1] = number_of(element)
        found[#found + 1] = element[2][2]
    end
end
return {last, found}
