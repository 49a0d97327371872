-- Replace a finished match by a pointer to its place in the archive.
--
-- KEYS 1 finished match
-- ARGV 1 the pointer
--      2 the first byte of stored matches that may be replaced
-- returns 1, or 0 if there is no such match or it is a pointer already; then nothing has changed
local finished_key, pointer, format = KEYS[1], ARGV[1], ARGV[2]

if redis.call('GETRANGE', finished_key, 0, 0) ~= format then return 0 end
redis.call('SET', finished_key, pointer)
return 1
