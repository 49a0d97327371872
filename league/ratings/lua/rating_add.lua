-- Adds the result of a group to the log of its preset.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON); groups that were added
--       since the last fit (zset by end); then the logs of its bots
-- ARGV: the group id; its end in ms; its result (JSON)
-- Returns 1; 0 if this result is stored already; -1 if the group has another result, which rating_remove.lua must remove
-- first, since other bots may have played in it; -2 if it belongs in the archived part of the log. Only 1 writes
-- anything.
local head_key, log_key, results_key, new_key = unpack(KEYS, 1, 4)
local group, ended, result = unpack(ARGV)
local FIRST_BOT = 5

local known = redis.call('HGET', results_key, group)
if known then return known == result and 0 or -1 end
local top = redis.call('HGET', head_key, 'top')
if top and tonumber(ended) <= tonumber(string.sub(top, 1, 15)) then return -2 end
for i = FIRST_BOT, #KEYS do redis.call('ZADD', KEYS[i], ended, group) end
redis.call('ZADD', log_key, ended, group)
redis.call('ZADD', new_key, ended, group)
redis.call('HSET', results_key, group, result)
redis.call('HINCRBY', head_key, 'version', 1)
return 1
