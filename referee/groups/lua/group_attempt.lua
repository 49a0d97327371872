-- Begin an attempt to add a group. It fails if the group is archived before `group_add.lua` ends it.
--
-- KEYS 1 attempts (set)
-- ARGV 1 the attempt
--      2 how long it lasts at most, in ms
local attempts_key = KEYS[1]
local attempt, lasts_ms = ARGV[1], ARGV[2]

redis.call('SADD', attempts_key, attempt)
redis.call('PEXPIRE', attempts_key, lasts_ms)
return 1
