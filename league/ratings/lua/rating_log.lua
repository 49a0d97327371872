-- Where the log of a preset stands, and the next groups to be rated.
--
-- KEYS 1 head  2 log (zset of group ids by end)  3 outcomes
-- ARGV 1 mark of the model: what was rated by another is to be rated again  2 how many groups at most
-- returns {version, how many are rated, outcomes (JSON) of the next ones}
local head = redis.call('HMGET', KEYS[1], 'version', 'rated', 'mark')
local rated = head[3] == ARGV[1] and tonumber(head[2] or '0') or 0
local groups = redis.call('ZRANGE', KEYS[2], rated, rated + ARGV[2] - 1)
local outcomes = #groups > 0 and redis.call('HMGET', KEYS[3], unpack(groups)) or {}
return {tonumber(head[1] or '0'), rated, outcomes}
