-- Remove a finished match that is in the archive.
--
-- KEYS 1 finished match
--      2 clock of the bucket; its field `archived` counts removals (`commit_new.lua`)
-- ARGV 1 the first byte of stored matches that may be removed
-- returns 1, or 0 if there is no such match; then nothing has changed
local finished_key, clock_key, format = KEYS[1], KEYS[2], ARGV[1]

if redis.call('GETRANGE', finished_key, 0, 0) ~= format then return 0 end
redis.call('DEL', finished_key)
redis.call('HINCRBY', clock_key, 'archived', 1)
return 1
