-- Creates a bot with its first token. Needs account_token.lua.
--
-- KEYS: those of account_token.lua; bots (hash id -> JSON); bot ids by full name (hash); full names of bots (zset);
--       owners (hash id -> JSON)
-- ARGV: those of account_token.lua; the bot id; its full name; the bot (JSON); the current time in ms; the owner's id
--       and name
-- Returns 'ok', or without writing anything 'taken' or 'again' (the owner was renamed). For two minutes it is 'ok'
-- again for the same bot id: a client may repeat the request after a crash between this script and the response.
local bots_key, ids_key, names_key, owners_key = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local bot_id, full_name, bot, now = ARGV[7], ARGV[8], ARGV[9], tonumber(ARGV[10])
local owner_id, owner_name = ARGV[11], ARGV[12]
local REPEATABLE_MS = 120000

local owner = redis.call('HGET', owners_key, owner_id)
if owner and cjson.decode(owner)['name'] ~= owner_name then return 'again' end
local known = redis.call('HGET', ids_key, full_name)
if known then
  local repeated = known == bot_id
    and cjson.decode(redis.call('HGET', bots_key, known))['created'] + REPEATABLE_MS > now
  if not repeated then return 'taken' end
  write_token()
  return 'ok'
end
redis.call('HSET', ids_key, full_name, bot_id)
redis.call('ZADD', names_key, 0, full_name)
redis.call('HSET', bots_key, bot_id, bot)
write_token()
return 'ok'
