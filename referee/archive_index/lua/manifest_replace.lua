-- Replace the manifest of the index, unless it changed since it was read. Put a file into the journal with it.
--
-- KEYS 1 manifest (hash): version, state (JSON)
--      2 names of the journal's files (list)
-- ARGV 1 the version that was read, 0 if there was none
--      2 the new state (JSON)
--      3 a new file of the journal, '' for none
--      4 its position, where it replaces a file; '' to append it
-- returns 1, or 0 if the manifest changed; then nothing is written
local manifest_key, journal_key = KEYS[1], KEYS[2]
local before, state, journal, place = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

if tonumber(redis.call('HGET', manifest_key, 'version') or '0') ~= before then return 0 end
redis.call('HSET', manifest_key, 'version', before + 1, 'state', state)
if journal ~= '' then
  if place == '' then redis.call('RPUSH', journal_key, journal) else redis.call('LSET', journal_key, place, journal) end
end
return 1
