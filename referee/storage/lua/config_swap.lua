-- Replace the config of a running match, unless the match changed since it was read. The version rises, so that no
-- commit of a process that read the old config restores it.
--
-- KEYS 1 match (hash)
-- ARGV 1 version that was read
--      2 new config (JSON)
-- returns 1, or 0 if the match changed; then nothing is written
local match_key, version, config = KEYS[1], ARGV[1], ARGV[2]

if redis.call('HGET', match_key, 'version') ~= version then return 0 end
redis.call('HSET', match_key, 'config', config, 'version', tonumber(version) + 1)
return 1
