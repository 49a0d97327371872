-- Changes a ladder's settings or state, unless they, or what it has played, changed since they were read.
--
-- KEYS: the ladder (JSON); its rounds (hash)
-- ARGV: the ladder as read (JSON); the ladder to write (JSON); the number of its last round, none of which may be under
--       way, or '' if rounds do not matter
-- Returns 1, or 0 if something changed; then nothing is written.
local ladder_key, rounds_key = unpack(KEYS)
local before, after, last_round = unpack(ARGV)

if redis.call('GET', ladder_key) ~= before then return 0 end
if last_round ~= '' then
  if (redis.call('HGET', rounds_key, 'last') or '0') ~= last_round then return 0 end
  if (redis.call('HGET', rounds_key, 'running') or '') ~= '' then return 0 end
end
redis.call('SET', ladder_key, after)
return 1
