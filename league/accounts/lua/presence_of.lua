-- Reads which of some bots are online.
--
-- KEYS: bots online (zset of bot ids by the end of their time)
-- ARGV: the current time in ms, or ''; then the bots
-- Returns the bots that are online.
local online_key = KEYS[1]
local now = now_ms(ARGV[1])
local FIRST_BOT = 2

local online = {}
for i = FIRST_BOT, #ARGV do
  local bot = ARGV[i]
  local online_until = redis.call('ZSCORE', online_key, bot)
  if online_until and tonumber(online_until) > now then online[#online + 1] = bot end
end
return online
