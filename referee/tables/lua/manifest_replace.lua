-- Replace the manifest of tables, unless it changed since it was read.
--
-- KEYS 1 the manifest (JSON)
-- ARGV 1 the manifest as read, '' if there was none
--      2 the new one
-- returns 1, or 0 if it changed; then nothing is written
local manifest_key, before, after = KEYS[1], ARGV[1], ARGV[2]

if (redis.call('GET', manifest_key) or '') ~= before then return 0 end
redis.call('SET', manifest_key, after)
return 1
