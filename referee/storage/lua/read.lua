-- Read one consistent snapshot of a match.
--
-- KEYS 1 match (hash)
--      2 log of the deal in progress
--      3 clock of the bucket
--      4 finished match
--      5 annotations of the finished match (list)
-- returns {now, runs}                                                       there is no such match
--         {now, runs, packed, {annotation, …}}                              it is over
--         {now, runs, version, setup, head, asked, deadline, secret, log}   it isn't over
-- where `runs` is 1 while service time runs and 0 while it stands still
local match_key, log_key, clock_key, finished_key, annotations_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local now, running = service_now(clock_key)
local runs = running and 1 or 0
local match = redis.call('HMGET', match_key, 'version', 'setup', 'head', 'asked', 'deadline', 'secret')
if match[1] then
  return {now, runs, match[1], match[2], match[3], match[4], match[5], match[6], redis.call('GET', log_key) or ''}
end
local packed = redis.call('GET', finished_key)
if packed then return {now, runs, packed, redis.call('LRANGE', annotations_key, 0, -1)} end
return {now, runs}
