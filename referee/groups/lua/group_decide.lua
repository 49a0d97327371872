-- What is decided of a group that runs: the first decision holds.
--
-- KEYS 1 group (hash)
-- ARGV 1 phase
-- returns the phase that holds
redis.call('HSETNX', KEYS[1], 'phase', ARGV[1])
return redis.call('HGET', KEYS[1], 'phase')
