-- One consistent look at a match.
--
-- KEYS 1 match (hash)  2 log of the deal in progress  3 clock of the bucket  4 finished match
-- returns {now}                                                    there is no such match
--         {now, packed}                                            it is over
--         {now, version, setup, head, asked, deadline, secret, log}  it is not
local now = service_now(KEYS[3])
local match = redis.call('HMGET', KEYS[1], 'version', 'setup', 'head', 'asked', 'deadline', 'secret')
if match[1] then
  return {now, match[1], match[2], match[3], match[4], match[5], match[6], redis.call('GET', KEYS[2]) or ''}
end
local packed = redis.call('GET', KEYS[4])
if packed then return {now, packed} end
return {now}
