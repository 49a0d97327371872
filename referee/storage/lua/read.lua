-- One consistent look at a match.
--
-- KEYS 1 match (hash)  2 log of the deal in progress  3 clock of the bucket  4 finished match  5 annotations on it
-- returns {now, runs}                                                    there is no such match
--         {now, runs, packed, {remark, …}}                               it is over
--         {now, runs, version, setup, head, asked, deadline, secret, log}  it is not
-- where `runs` is 1 while service time runs and 0 while it stands still
local now, runs = service_now(KEYS[3])
runs = runs and 1 or 0
local match = redis.call('HMGET', KEYS[1], 'version', 'setup', 'head', 'asked', 'deadline', 'secret')
if match[1] then
  return {now, runs, match[1], match[2], match[3], match[4], match[5], match[6], redis.call('GET', KEYS[2]) or ''}
end
local packed = redis.call('GET', KEYS[4])
if packed then return {now, runs, packed, redis.call('LRANGE', KEYS[5], 0, -1)} end
return {now, runs}
