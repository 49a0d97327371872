-- One step of a match: version check, state, log, deadline, outbox and wake-up, all or nothing.
--
-- KEYS 1 match (hash)  2 log of the deal in progress  3 logs of the deals before  4 deadlines of the bucket
--      5 outbox of the bucket  6 clock of the bucket  7 finished match
-- ARGV 1 match id
--      2 version that the writer read, '0' for a match that must not exist yet
--      3 head (JSON)
--      4 setup (JSON), '' if unchanged
--      5 secret, '' if unchanged
--      6 log: what to append, or the whole of it if deals were closed
--      7 allowance in ms for the question now asked, 'keep' if the same question stays, '' for no deadline
--      8 how long after its deadline the bucket's list names the match, in ms
--      9 kinds of outbox entries, separated by spaces, '' for none
--     10 message to the waiters, '' for none
--     11 the finished match (packed), '' while it goes on
--     12 … logs of the deals closed, compressed, in order
-- returns {1, version, now, asked, deadline}  committed; asked and deadline '' where there are none
--         {0}                                 somebody else was faster; nothing has changed
local version = redis.call('HGET', KEYS[1], 'version')
if (version or '0') ~= ARGV[2] then return {0} end
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[7]) == 1 then return {0} end
local next_version = tonumber(ARGV[2]) + 1
local now = service_now(KEYS[6])
local asked, deadline = '', ''

if ARGV[11] ~= '' then
  redis.call('SET', KEYS[7], ARGV[11])
  if version then
    redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
    redis.call('ZREM', KEYS[4], ARGV[1])
  end
else
  local fields = {'version', next_version, 'head', ARGV[3]}
  if ARGV[4] ~= '' then fields[#fields + 1] = 'setup'; fields[#fields + 1] = ARGV[4] end
  if ARGV[5] ~= '' then fields[#fields + 1] = 'secret'; fields[#fields + 1] = ARGV[5] end
  if ARGV[7] ~= 'keep' then
    asked = string.format('%.0f', now)
    if ARGV[7] ~= '' then
      deadline = string.format('%.0f', now + tonumber(ARGV[7]))
      redis.call('ZADD', KEYS[4], string.format('%.0f', now + tonumber(ARGV[7]) + tonumber(ARGV[8])), ARGV[1])
    else
      redis.call('ZREM', KEYS[4], ARGV[1])
    end
    fields[#fields + 1] = 'asked'; fields[#fields + 1] = asked
    fields[#fields + 1] = 'deadline'; fields[#fields + 1] = deadline
  else
    local kept = redis.call('HMGET', KEYS[1], 'asked', 'deadline')
    asked, deadline = kept[1], kept[2]
  end
  redis.call('HSET', KEYS[1], unpack(fields))
  if #ARGV > 11 then
    for i = 12, #ARGV do redis.call('RPUSH', KEYS[3], ARGV[i]) end
    redis.call('SET', KEYS[2], ARGV[6])
  elseif ARGV[6] ~= '' then
    redis.call('APPEND', KEYS[2], ARGV[6])
  end
end

for kind in string.gmatch(ARGV[9], '%S+') do
  redis.call('RPUSH', KEYS[5], kind .. ' ' .. ARGV[1] .. ' ' .. next_version)
end
if ARGV[10] ~= '' then redis.call('PUBLISH', 'kozyr:wake', ARGV[10]) end
return {1, next_version, now, asked, deadline}
