-- Stores an entry of a ladder in place of the bot's previous one.
--
-- KEYS: the entries (hash bot -> JSON); the version of the standings
-- ARGV: the bot; its entry (JSON)
local entries_key, version_key = unpack(KEYS)
local bot, entry = unpack(ARGV)

redis.call('HSET', entries_key, bot, entry)
return redis.call('INCR', version_key)
