-- Reads the position of a preset's log and the next groups to rate.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON)
-- ARGV: the mark of the rating model (another mark means that all groups must be rated again); the maximum number of groups
-- Returns {version, number of rated groups, results (JSON) of the next groups, mark of the stored ratings, place up to
-- which archived groups are rated, place of the last archived group}. Places are '' where there are none. The rest of an
-- archive that isn't rated precedes these groups (`league.ratings.redis_archive`).
local head_key, log_key, results_key = unpack(KEYS)
local mark, limit = unpack(ARGV)

local version, stored_rated, stored_mark, floor, top =
  unpack(redis.call('HMGET', head_key, 'version', 'rated', 'mark', 'floor', 'top'))
local rated = stored_mark == mark and tonumber(stored_rated or '0') or 0
local groups = redis.call('ZRANGE', log_key, rated, rated + limit - 1)
local results = #groups > 0 and redis.call('HMGET', results_key, unpack(groups)) or {}
return {tonumber(version or '0'), rated, results, stored_mark or '', floor or '', top or ''}
