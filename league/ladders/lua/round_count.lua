-- Counts ended matches of a round in the totals of its ladder, each once. The last match ends the round.
-- Needs time.lua, totals.lua and under_way.lua.
--
-- KEYS: the round; its open matches (hash match -> table); the rounds of the ladder (hash); the round's held matches;
--       the version of the standings; then the totals, cross table rows and group sums, in any order
-- ARGV: the current time in ms, or ''; JSON, for each match [its id, whether it counts as played, index of the key of its group's sums or 0, its lines (totals.lua)]
-- Returns {the match that ended the round or '', 1 if the round has tables left to make, epoch, 1 if a worker holds its
-- lease, the matches that were counted}. Matches neither open nor held are skipped. A failed round stays failed.
local round_key, open_key, rounds_key, held_key, version_key = unpack(KEYS, 1, 5)
local now, matches = now_ms(ARGV[1]), cjson.decode(ARGV[2])

local planned, made, epoch, lease_end, state =
  unpack(redis.call('HMGET', round_key, 'planned', 'made', 'epoch', 'until', 'state'))
local running = state == 'running'
local counted, aborted = {}, 0
for _, result in ipairs(matches) do
  local match, played, group, lines = unpack(result)
  if redis.call('HDEL', open_key, match) + redis.call('HDEL', held_key, match) > 0 then
    counted[#counted + 1] = match
    gather(group, 1, lines)
    if not played then aborted = aborted + 1 end
  end
end
change_gathered()
if #counted > 0 then redis.call('INCR', version_key) end
if aborted > 0 then redis.call('HINCRBY', round_key, 'aborted', aborted) end
local last = ''
if #counted > 0 and redis.call('HINCRBY', round_key, 'over', #counted) == tonumber(planned) and running then
  last = counted[#counted]
  redis.call('HSET', round_key, 'state', 'done', 'ended', text_of(now))
  end_round(rounds_key, string.match(round_key, '(%d+)$'))
end
return {last, running and tonumber(made or '0') < tonumber(planned or '0') and 1 or 0, tonumber(epoch or '0'),
  tonumber(lease_end or '0') > now and 1 or 0, counted}
