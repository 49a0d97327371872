-- Ends a waiting entry.
--
-- KEYS: pools with entries (set); the pool (zset of entry ids); the bot's last entry id; the entry
-- ARGV: the current time in ms, or ''; the pool; the entry's id; the new state; the reason, or ''; how long the entry
--       is kept, in ms
-- Returns 1; 0 if the entry did not wait, and nothing has changed.
local pools_key, pool_key, bot_key, entry_key = unpack(KEYS)
local given_now, pool, entry, state, reason, kept_ms = unpack(ARGV)

if redis.call('ZREM', pool_key, entry) == 0 then return 0 end
if redis.call('ZCARD', pool_key) == 0 then redis.call('SREM', pools_key, pool) end
redis.call('HSET', entry_key, 'state', state, 'reason', reason, 'ended', text_of(now_ms(given_now)))
redis.call('PEXPIRE', entry_key, kept_ms)
if redis.call('GET', bot_key) == entry then redis.call('PEXPIRE', bot_key, kept_ms) end
return 1
