-- Add a group, once.
--
-- KEYS 1 group (hash)
--      2 attempts to add it (set)
-- ARGV 1 the group (JSON)
--      2 how many tables it has
--      3 the attempt, or '' if groups are never archived
-- returns the stored group (JSON): this one, or the one that was there before; nil if the group was archived after the
--         attempt began, so that it must be looked up there again
local group_key, attempts_key = KEYS[1], KEYS[2]
local doc, tables, attempt = ARGV[1], ARGV[2], ARGV[3]

local stored = redis.call('HGET', group_key, 'doc')
if not stored then
  if attempt ~= '' and redis.call('SISMEMBER', attempts_key, attempt) == 0 then return false end
  redis.call('HSET', group_key, 'doc', doc, 'status', 'running', 'left', tables)
  stored = doc
end
if attempt ~= '' then redis.call('SREM', attempts_key, attempt) end
return stored
