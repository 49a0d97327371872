-- Removes a batch and ends the queue entries that it answers.
--
-- KEYS: batches (hash); batches by the instant at which they are due (zset); then for each entry: the entry, the last
--       entry id of its bot
-- ARGV: the current time in ms, or ''; the batch's id; the state of the entries; the reason, or ''; how long an entry
--       is kept, in ms; then the entry ids
-- Returns 1; 0 if the batch was removed before, and nothing has changed.
local batches_key, due_key = unpack(KEYS)
local given_now, batch, state, reason, kept_ms = unpack(ARGV)
local FIRST_ENTRY_KEY, FIRST_ENTRY = 3, 6

if redis.call('HDEL', batches_key, batch) == 0 then return 0 end
redis.call('ZREM', due_key, batch)
local now = text_of(now_ms(given_now))
for i = FIRST_ENTRY, #ARGV do
  local entry_key = KEYS[FIRST_ENTRY_KEY + 2 * (i - FIRST_ENTRY)]
  local bot_key = KEYS[FIRST_ENTRY_KEY + 2 * (i - FIRST_ENTRY) + 1]
  redis.call('HSET', entry_key, 'state', state, 'reason', reason, 'ended', now)
  redis.call('PEXPIRE', entry_key, kept_ms)
  if redis.call('GET', bot_key) == ARGV[i] then redis.call('PEXPIRE', bot_key, kept_ms) end
end
return 1
