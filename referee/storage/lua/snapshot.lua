-- Read one consistent snapshot of a match. This file is prepended to every script that returns one.
--
-- read_snapshot(match, log, clock, finished, annotations, grants), all keys, returns
--   {now, runs, {annotation, …}}                                             it is not here; perhaps archived
--   {now, runs, packed, {annotation, …}}                                     it is over
--   {now, runs, version, config, progress, asked, deadline, secret, log, grants}  it isn't over
-- where `runs` is 1 while service time runs and 0 while it stands still, and `grants` is the bucket's (`redis_grants`)
local function read_snapshot(match_key, log_key, clock_key, finished_key, annotations_key, grants_key)
  local now, running = service_now(clock_key)
  local runs = running and 1 or 0
  local match = redis.call('HMGET', match_key, 'version', 'config', 'progress', 'asked', 'deadline', 'secret')
  if match[1] then
    return {now, runs, match[1], match[2], match[3], match[4], match[5], match[6],
            redis.call('GET', log_key) or '', redis.call('GET', grants_key) or ''}
  end
  local packed = redis.call('GET', finished_key)
  local annotations = redis.call('LRANGE', annotations_key, 0, -1)
  if packed then return {now, runs, packed, annotations} end
  return {now, runs, annotations}
end
