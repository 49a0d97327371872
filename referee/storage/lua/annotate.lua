-- Annotate a finished match, once per kind of annotation. The match itself stays as it is.
--
-- KEYS 1 finished match
--      2 its annotations (list)
--      3 outbox of the bucket
--      4 clock of the bucket
-- ARGV 1 match id
--      2 kind of annotation
--      3 reason
--      4 1 if the match is in the archive, else 0
-- returns {0}                    the match isn't over; nothing has changed
--         {1, {annotation, …}}   all annotations of the match: JSON with `at` (service time in ms), `what`, `reason`
local finished_key, annotations_key, outbox_key, clock_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local match, kind, reason, archived = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'

if not archived and redis.call('EXISTS', finished_key) == 0 then return {0} end
local annotations = redis.call('LRANGE', annotations_key, 0, -1)
for _, annotation in ipairs(annotations) do
  if cjson.decode(annotation)['what'] == kind then return {1, annotations} end
end
local at = string.format('%.0f', (service_now(clock_key)))
local annotation = '{"at":' .. at .. ',"what":' .. cjson.encode(kind) .. ',"reason":' .. cjson.encode(reason) .. '}'
redis.call('RPUSH', annotations_key, annotation)
redis.call('RPUSH', outbox_key, 'index ' .. match .. ' 0')
return {1, redis.call('LRANGE', annotations_key, 0, -1)}
