-- Changes an owner or a bot, unless it changed since it was read.
--
-- KEYS: owners or bots (hash id -> JSON); disabled owners and bots (set)
-- ARGV: the id; the document as read (JSON); the document to write (JSON); '1' to disable it, else '0'
-- Returns 1, or 0 if the document changed; then nothing is written.
local documents_key, disabled_key = unpack(KEYS)
local id, before, after, disabled = unpack(ARGV)

if redis.call('HGET', documents_key, id) ~= before then return 0 end
redis.call('HSET', documents_key, id, after)
if disabled == '1' then redis.call('SADD', disabled_key, id) else redis.call('SREM', disabled_key, id) end
return 1
