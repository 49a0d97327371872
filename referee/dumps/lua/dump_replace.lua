-- Replace the state of the dumps, unless it changed since it was read. Publish a dump with it.
--
-- KEYS 1 state (hash): version, state (JSON)
--      2 published dumps (list of JSON)
-- ARGV 1 the version that was read, 0 if there was none
--      2 the new state (JSON)
--      3 the published dump (JSON), '' for none
-- returns 1, or 0 if the state changed; then nothing is written
local state_key, dumps_key = KEYS[1], KEYS[2]
local before, state, dump = tonumber(ARGV[1]), ARGV[2], ARGV[3]

if tonumber(redis.call('HGET', state_key, 'version') or '0') ~= before then return 0 end
redis.call('HSET', state_key, 'version', before + 1, 'state', state)
if dump ~= '' then redis.call('RPUSH', dumps_key, dump) end
return 1
