-- Counts units of ended matches of a round in the totals of its ladder, each once. The last match ends the round.
-- Needs time.lua, totals.lua and under_way.lua.
--
-- KEYS: the round; its open matches (hash match -> table); the rounds of the ladder (hash); the round's held matches;
--       the version of the standings; then the totals and cross table rows, in any order
-- ARGV: the current time in ms, or ''; JSON, for each unit [its matches, its lines (totals.lua)]; one without lines does
--       not count
-- Returns {the first match of the unit that ended the round or '', 1 if the round has tables left to make, epoch, 1 if a
-- worker holds its lease, the first matches of the units that were counted}. Units whose matches are neither open nor held
-- are skipped. A failed round stays failed.
local round_key, open_key, rounds_key, held_key, version_key = unpack(KEYS, 1, 5)
local now, units = now_ms(ARGV[1]), cjson.decode(ARGV[2])

local planned, made, epoch, lease_end, state =
  unpack(redis.call('HMGET', round_key, 'planned', 'made', 'epoch', 'until', 'state'))
local running = state == 'running'
local counted, over, aborted = {}, 0, 0
for _, unit in ipairs(units) do
  local matches, lines = unpack(unit)
  local ended = redis.call('HDEL', open_key, unpack(matches)) + redis.call('HDEL', held_key, unpack(matches))
  if ended > 0 then
    counted[#counted + 1] = matches[1]
    over = over + ended
    gather(1, lines)
    if #lines == 0 then aborted = aborted + ended end
  end
end
change_gathered()
if #counted > 0 then redis.call('INCR', version_key) end
if aborted > 0 then redis.call('HINCRBY', round_key, 'aborted', aborted) end
local last = ''
if #counted > 0 and redis.call('HINCRBY', round_key, 'over', over) == tonumber(planned) and running then
  last = counted[#counted]
  redis.call('HSET', round_key, 'state', 'done', 'ended', text_of(now))
  end_round(rounds_key, string.match(round_key, '(%d+)$'))
end
return {last, running and tonumber(made or '0') < tonumber(planned or '0') and 1 or 0, tonumber(epoch or '0'),
  tonumber(lease_end or '0') > now and 1 or 0, counted}
