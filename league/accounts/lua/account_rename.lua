-- Renames an owner with its bots, or a bot. Old names stay in the indexes, so they lead to the new name and nobody else
-- can take them.
--
-- KEYS: owners, bots (hashes id -> JSON); owner ids by name, bot ids by full name (hashes); full names of bots (zset);
--       names of what was renamed (hash id -> JSON); the number of renamings
-- ARGV: JSON: `documents` ([kind, id, before, after]), `names` ([kind, name, id]), `listed` ([old, new]), `renamed`
--       ([id, names as JSON]), `freed` ([kind, name]), the names that lead nowhere any more, and `bots` ([owner, how
--       many bots it has]). Kinds are owner and bot
-- Returns 'ok', or without writing anything 'taken' or 'again' (a document changed, or there are other bots).
local owners_key, bots_key, owner_names_key, bot_ids_key, bot_names_key, renamed_key, count_key = unpack(KEYS)
local change = cjson.decode(ARGV[1])
local documents = {owner = owners_key, bot = bots_key}
local names = {owner = owner_names_key, bot = bot_ids_key}

for _, each in ipairs(change.documents) do
  if redis.call('HGET', documents[each[1]], each[2]) ~= each[3] then return 'again' end
end
for _, each in ipairs(change.bots) do
  -- '0' is the character after '/'.
  if redis.call('ZLEXCOUNT', bot_names_key, '[' .. each[1] .. '/', '(' .. each[1] .. '0') ~= each[2] then return 'again' end
end
for _, each in ipairs(change.names) do
  local known = redis.call('HGET', names[each[1]], each[2])
  if known and known ~= each[3] then return 'taken' end
end
for _, each in ipairs(change.documents) do redis.call('HSET', documents[each[1]], each[2], each[4]) end
for _, each in ipairs(change.names) do redis.call('HSET', names[each[1]], each[2], each[3]) end
for _, each in ipairs(change.freed) do redis.call('HDEL', names[each[1]], each[2]) end
for _, each in ipairs(change.listed) do
  redis.call('ZREM', bot_names_key, each[1])
  redis.call('ZADD', bot_names_key, 0, each[2])
end
for _, each in ipairs(change.renamed) do redis.call('HSET', renamed_key, each[1], each[2]) end
redis.call('INCR', count_key)
return 'ok'
