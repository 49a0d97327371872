-- Replace the manifest of the index, unless it changed since it was read. Append a file to the journal with it.
--
-- KEYS 1 manifest (hash): version, state (JSON)
--      2 names of the journal's files (list)
-- ARGV 1 the version that was read, 0 if there was none
--      2 the new state (JSON)
--      3 a new file of the journal, '' for none
-- returns 1, or 0 if the manifest changed; then nothing is written
local manifest_key, journal_key = KEYS[1], KEYS[2]
local before, state, journal = tonumber(ARGV[1]), ARGV[2], ARGV[3]

if tonumber(redis.call('HGET', manifest_key, 'version') or '0') ~= before then return 0 end
redis.call('HSET', manifest_key, 'version', before + 1, 'state', state)
if journal ~= '' then redis.call('RPUSH', journal_key, journal) end
return 1
