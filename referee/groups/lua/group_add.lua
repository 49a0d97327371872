-- Add a group, once.
--
-- KEYS 1 group (hash)
-- ARGV 1 the group (JSON)
--      2 how many tables it has
-- returns the stored group (JSON): this one, or the one that was there before
local group_key = KEYS[1]
local doc, tables = ARGV[1], ARGV[2]

if redis.call('HSETNX', group_key, 'doc', doc) == 1 then
  redis.call('HSET', group_key, 'status', 'running', 'left', tables)
end
return redis.call('HGET', group_key, 'doc')
