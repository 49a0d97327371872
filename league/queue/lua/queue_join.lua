-- Adds an entry of a bot that has no other waiting entry.
--
-- KEYS: pools with entries (set); the pool (zset of entry ids by the instant of joining); the bot's last entry id; the
--       entry; the entry that was the bot's last
-- ARGV: the current time in ms, or ''; the pool; the entry's id; the entry (JSON); the id that was the bot's last, or ''
-- Returns 'joined'; 'known' if it was added before; 'waiting' if the last entry waits; 'again' if another entry has
-- become the last.
local pools_key, pool_key, bot_key, entry_key, last_key = unpack(KEYS)
local given_now, pool, entry, doc, expected_last = unpack(ARGV)

if redis.call('EXISTS', entry_key) == 1 then return 'known' end
if (redis.call('GET', bot_key) or '') ~= expected_last then return 'again' end
if expected_last ~= '' and redis.call('HGET', last_key, 'state') == 'waiting' then return 'waiting' end
local now = text_of(now_ms(given_now))
redis.call('HSET', entry_key, 'doc', doc, 'state', 'waiting', 'joined', now)
redis.call('SET', bot_key, entry)
redis.call('ZADD', pool_key, now, entry)
redis.call('SADD', pools_key, pool)
return 'joined'
