-- A new group, once.
--
-- KEYS 1 group (hash)
-- ARGV 1 the group (JSON)  2 how many tables it has
-- returns the group that is there then (JSON)
if redis.call('HSETNX', KEYS[1], 'doc', ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], 'status', 'running', 'left', ARGV[2])
end
return redis.call('HGET', KEYS[1], 'doc')
