-- keep_floor(key)  makes the present result of service_now the lowest that it will ever return.
--
-- This file is apart from clock.lua because a script that contains it counts as one that writes.
local function keep_floor(key)
  redis.call('HSET', key, 'floor', string.format('%.0f', (service_now(key))))
end
