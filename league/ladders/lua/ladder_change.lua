-- Changes a ladder's settings, state or season, unless they, or what it has played, changed since they were read.
--
-- KEYS: the ladder (JSON); its rounds (hash); its past seasons (hash number -> JSON)
-- ARGV: the ladder as read (JSON); the ladder to write (JSON); the number of its last round, none of which may be under
--       way, or '' if rounds do not matter; for a season that ends: the number of its last round, its own number, and
--       the season (JSON)
-- Returns 1, or 0 if something changed; then nothing is written.
local ladder_key, rounds_key, seasons_key = unpack(KEYS)
local before, after, last_round, last_of_season, number, season = unpack(ARGV)

if redis.call('GET', ladder_key) ~= before then return 0 end
local last = redis.call('HGET', rounds_key, 'last') or '0'
if last_round ~= '' then
  if last ~= last_round or (redis.call('HGET', rounds_key, 'running') or '') ~= '' then return 0 end
end
if season then
  if last ~= last_of_season then return 0 end
  redis.call('HSET', seasons_key, number, season)
end
redis.call('SET', ladder_key, after)
return 1
