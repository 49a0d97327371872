-- Reads the batches that are due, and postpones them.
--
-- KEYS: batches (hash); batches by the instant at which they are due (zset)
-- ARGV: the current time in ms, or ''; how many batches; the delay in ms after which they are due again
-- Returns the batches (JSON).
local batches_key, due_key = unpack(KEYS)
local given_now, most, delay_ms = unpack(ARGV)

local now, docs = now_ms(given_now), {}
local due = due_of(due_key, now, delay_ms, most)
for _, batch in ipairs(due) do
  local doc = redis.call('HGET', batches_key, batch)
  if doc then
    docs[#docs + 1] = doc
    redis.call('ZADD', due_key, text_of(now + tonumber(delay_ms)), batch)
  else
    redis.call('ZREM', due_key, batch)
  end
end
return docs
