-- Removes a group from the log of its preset.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON); groups that were added
--       since the last fit (zset by end); ratings by group (hash `group bot` -> JSON); then the logs of its bots
-- ARGV: the group id; its result as read (JSON); then its bots, in the order of their logs
-- Returns 1, or 0 if that result is not stored; then nothing is written.
local head_key, log_key, results_key, new_key, ratings_key = unpack(KEYS, 1, 5)
local group, result = ARGV[1], ARGV[2]
local FIRST_LOG, FIRST_BOT = 6, 3

if redis.call('HGET', results_key, group) ~= result then return 0 end
redis.call('ZREM', log_key, group)
redis.call('ZREM', new_key, group)
redis.call('HDEL', results_key, group)
for i = FIRST_LOG, #KEYS do
  redis.call('ZREM', KEYS[i], group)
  redis.call('HDEL', ratings_key, group .. ' ' .. ARGV[i - FIRST_LOG + FIRST_BOT])
end
redis.call('HINCRBY', head_key, 'version', 1)
return 1
