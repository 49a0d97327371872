-- Claims an idempotency key for a request.
--
-- KEYS: the idempotency key (hash)
-- ARGV: the digest of the request's body; the holder of the lease; the length of the lease in ms; how long to keep the key,
--       in ms; the current time in ms, or ''
-- Returns {'new', ''} if the caller has claimed the key, {'again', ''} if it has done so after the lease of another holder
-- who left no response, {'reused', ''} if the key belongs to another body,
-- {'in_flight', ms to wait} while another holder has the lease, {'answered', encrypted response} after it has finished.
local idempotency_key = KEYS[1]
local digest, holder, lease_ms, kept_ms = unpack(ARGV, 1, 4)
local now = now_ms(ARGV[5])

local stored_digest, response, lease_end = unpack(redis.call('HMGET', idempotency_key, 'body', 'answer', 'until'))
if stored_digest then
  if stored_digest ~= digest then return {'reused', ''} end
  if response then return {'answered', response} end
  if runs(lease_end, now, lease_ms) then return {'in_flight', text_of(tonumber(lease_end) - now)} end
end
redis.call('HSET', idempotency_key, 'body', digest, 'holder', holder, 'until', text_of(now + tonumber(lease_ms)))
redis.call('PEXPIRE', idempotency_key, kept_ms)
return {stored_digest and 'again' or 'new', ''}
