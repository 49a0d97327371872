-- A match that is over is counted, once: the sums of its ladder grow, and its round is done with the last.
--
-- KEYS 1 round  2 open matches of the round  3 rounds of the ladder  4 held matches  5 sums of the match's group
--      6 units whose luck waits  7 what units added  8 lines of luck  9 standings  10 … rows of the cross table
-- ARGV 1 match id  2 '1' if it counts as not played  3 now in ms or ''  4 id of its duplicate group, '' for none
--      then lines that grow (sums.lua)
-- returns {0, 0, 0, epoch, 0} if it is not among the open or held matches (counted already); nothing has changed then
--         {1, 1 if the round is done with it, 1 if the round has tables left to make, epoch, 1 if a worker has its lease}
local now = now_ms(ARGV[3])
local round = redis.call('HMGET', KEYS[1], 'planned', 'made', 'epoch', 'until')
local epoch = tonumber(round[3] or '0')
if redis.call('HDEL', KEYS[2], ARGV[1]) + redis.call('HDEL', KEYS[4], ARGV[1]) == 0 then return {0, 0, 0, epoch, 0} end
change_all(ARGV[4] ~= '' and KEYS[5] or '', 1, 5)
if ARGV[2] == '1' then
  redis.call('HINCRBY', KEYS[1], 'aborted', 1)
else
  luck_due(KEYS[6], KEYS[7], KEYS[8], ARGV[4] ~= '' and ARGV[4] or ARGV[1])
end
local done = redis.call('HINCRBY', KEYS[1], 'over', 1) == tonumber(round[1])
if done then
  redis.call('HSET', KEYS[1], 'state', 'done', 'ended', text_of(now))
  end_round(KEYS[3], string.match(KEYS[1], '(%d+)$'))
end
return {1, done and 1 or 0, tonumber(round[2]) < tonumber(round[1]) and 1 or 0, epoch,
  tonumber(round[4] or '0') > now and 1 or 0}
