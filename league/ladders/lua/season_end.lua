-- Ends a season of a ladder and begins the next, unless the ladder or its last round changed since they were read.
--
-- KEYS: the ladder (JSON); its rounds (hash); its past seasons (hash number -> JSON)
-- ARGV: the ladder as read (JSON); the ladder to write (JSON); the number of the ending season; that season (JSON);
--       the number of its last round
-- Returns 1, or 0 if the ladder or its last round changed; then nothing is written.
local ladder_key, rounds_key, seasons_key = unpack(KEYS)
local before, after, number, season, last_round = unpack(ARGV)

if redis.call('GET', ladder_key) ~= before then return 0 end
if (redis.call('HGET', rounds_key, 'last') or '0') ~= last_round then return 0 end
redis.call('HSET', seasons_key, number, season)
redis.call('SET', ladder_key, after)
return 1
