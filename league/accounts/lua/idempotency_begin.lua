-- Claims an idempotency key for one request body.
--
-- KEYS 1 the key (hash)
-- ARGV 1 digest of the body  2 holder of the lease  3 how long the lease lasts, in ms  4 how long the key is kept, in ms
--      5 now in ms or ''
-- returns {'new', ''}  claimed: the caller answers   {'reused', ''}  it belongs to another body
--         {'in_flight', ms to wait}                  {'answered', the sealed answer}
local now = now_ms(ARGV[5])
local found = redis.call('HMGET', KEYS[1], 'body', 'answer', 'until')
if found[1] then
  if found[1] ~= ARGV[1] then return {'reused', ''} end
  if found[2] then return {'answered', found[2]} end
  local left = tonumber(found[3]) - now
  if left > 0 then return {'in_flight', text_of(left)} end
end
redis.call('HSET', KEYS[1], 'body', ARGV[1], 'holder', ARGV[2], 'until', text_of(now + tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'new', ''}
