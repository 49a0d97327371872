-- Something is said of a match that is over, each thing once. It stands beside the match, which stays as it is.
--
-- KEYS 1 finished match  2 annotations on it (list)  3 outbox of the bucket  4 clock of the bucket
-- ARGV 1 match id  2 what is said  3 why
-- returns {0}            the match is not over; nothing has changed
--         {1, {remark, …}}  what is said of it now: JSON with `at` (service time in ms), `what`, `reason`
if redis.call('EXISTS', KEYS[1]) == 0 then return {0} end
local said = redis.call('LRANGE', KEYS[2], 0, -1)
for _, one in ipairs(said) do
  if cjson.decode(one)['what'] == ARGV[2] then return {1, said} end
end
local at = string.format('%.0f', (service_now(KEYS[4])))
local remark = '{"at":' .. at .. ',"what":' .. cjson.encode(ARGV[2]) .. ',"reason":' .. cjson.encode(ARGV[3]) .. '}'
redis.call('RPUSH', KEYS[2], remark)
redis.call('RPUSH', KEYS[3], 'index ' .. ARGV[1] .. ' 0')
return {1, redis.call('LRANGE', KEYS[2], 0, -1)}
