-- Adds a version to the result of a season, unless another one was added since it was read.
--
-- KEYS: the versions (list of JSON)
-- ARGV: the version (JSON); how many versions there were
-- Returns 1, or 0 if there are more; then nothing is written.
local versions_key = KEYS[1]
local version, count = unpack(ARGV)

if redis.call('LLEN', versions_key) ~= tonumber(count) then return 0 end
redis.call('RPUSH', versions_key, version)
return 1
