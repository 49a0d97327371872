-- Makes a webhook due with the first of its messages that wait, but not before this time in ms.
local function wait_for_next(waiting_key, webhooks_key, webhook, earliest)
  local first = redis.call('ZRANGE', waiting_key, 0, 0, 'WITHSCORES')
  if #first == 0 then
    redis.call('ZREM', webhooks_key, webhook)
  else
    redis.call('ZADD', webhooks_key, text_of(math.max(earliest, tonumber(first[2]))), webhook)
  end
end
