-- Matches of a round that are over are counted, each once: the sums of its ladder grow, and it is done with the last.
--
-- KEYS 1 round  2 open matches of the round  3 rounds of the ladder  4 held matches
--      5 units whose luck waits  6 what units added  7 lines of luck
--      8 … standings, rows of the cross table and sums of the matches' groups, in any order
-- ARGV 1 now in ms or ''
--      2 [its id, whether it counts as played, its unit (luck.lua), number of the key of the sums of its group, 0 for none,
--        what it adds (sums.lua)] of each match, as JSON
-- returns {the last match with which the round is done, else '', 1 if the round has tables left to make, epoch,
--          1 if a worker has its lease, those that were counted}
--         what is not among the open or held matches (counted already) changes nothing; a failed round stays failed
local now = now_ms(ARGV[1])
local round = redis.call('HMGET', KEYS[1], 'planned', 'made', 'epoch', 'until', 'state')
local running = round[5] == 'running'
local counted, aborted = {}, 0
local units, due = {}, {}
for _, said in ipairs(cjson.decode(ARGV[2])) do
  local match, played, unit, group, lines = unpack(said)
  if redis.call('HDEL', KEYS[2], match) + redis.call('HDEL', KEYS[4], match) > 0 then
    counted[#counted + 1] = match
    gather(group, 1, lines)
    if not played then
      aborted = aborted + 1
    elseif not due[unit] then
      due[unit] = true
      units[#units + 1] = unit
    end
  end
end
change_gathered()
for _, unit in ipairs(units) do luck_due(KEYS[5], KEYS[6], KEYS[7], unit) end
if aborted > 0 then redis.call('HINCRBY', KEYS[1], 'aborted', aborted) end
local last = ''
if #counted > 0 and redis.call('HINCRBY', KEYS[1], 'over', #counted) == tonumber(round[1]) and running then
  last = counted[#counted]
  redis.call('HSET', KEYS[1], 'state', 'done', 'ended', text_of(now))
  end_round(KEYS[3], string.match(KEYS[1], '(%d+)$'))
end
return {last, running and tonumber(round[2] or '0') < tonumber(round[1] or '0') and 1 or 0, tonumber(round[3] or '0'),
  tonumber(round[4] or '0') > now and 1 or 0, counted}
