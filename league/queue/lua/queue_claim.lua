-- Claims waiting entries for a match, all or none, and stores the batch that creates it.
--
-- KEYS: pools with entries (set); the pool (zset of entry ids); batches (hash); batches by the instant at which they
--       are due (zset); then the entries
-- ARGV: the current time in ms, or ''; the pool; the batch's id, which is the match's; the batch (JSON); the delay in
--       ms after which it is due; then the entry ids
-- Returns 1; 2 if they were claimed for this match before; 0 if one of them no longer waits. Only 1 changes anything.
local pools_key, pool_key, batches_key, due_key = unpack(KEYS)
local given_now, pool, match, doc, delay_ms = unpack(ARGV)
local FIRST_ENTRY_KEY, FIRST_ENTRY = 5, 6

if redis.call('HGET', KEYS[FIRST_ENTRY_KEY], 'match') == match then return 2 end
for i = FIRST_ENTRY, #ARGV do
  if not redis.call('ZSCORE', pool_key, ARGV[i]) then return 0 end
end
for i = FIRST_ENTRY, #ARGV do
  redis.call('ZREM', pool_key, ARGV[i])
  redis.call('HSET', KEYS[FIRST_ENTRY_KEY + i - FIRST_ENTRY], 'state', 'claimed', 'match', match)
end
if redis.call('ZCARD', pool_key) == 0 then redis.call('SREM', pools_key, pool) end
redis.call('HSET', batches_key, match, doc)
redis.call('ZADD', due_key, text_of(now_ms(given_now) + tonumber(delay_ms)), match)
return 1
