-- commit(now) commits one step of a match: version check, state, log, deadline, outbox and wake-up, all or nothing.
-- `now` is the service time, if the script has read it. This file is prepended to the scripts that commit, and takes
-- their keys and arguments:
--
-- KEYS 1 match (hash)
--      2 log of the deal in progress
--      3 logs of the closed deals (list)
--      4 deadlines of the bucket (zset by service time)
--      5 outbox of the bucket (list)
--      6 clock of the bucket
--      7 finished match
-- ARGV 1 match id
--      2 version that the writer read, '0' for a match that must not exist yet
--      3 progress (JSON)
--      4 config (JSON), '' if unchanged
--      5 secret, '' if unchanged
--      6 log: the part to append, or the whole log if deals were closed
--      7 allowance in ms for the question now asked, 'keep' if the same question stays open, '' for no deadline
--      8 how long after its deadline the bucket's list names the match, in ms
--      9 kinds of outbox entries, separated by spaces, '' for none
--     10 message to the waiters, '' for none
--     11 the finished match (packed), '' while it goes on
--     12 … logs of the deals closed, compressed, in order
-- returns {1, version, now, asked, deadline}  committed; `asked` and `deadline` are '' where there are none
--         {0}                                 another writer was faster; nothing has changed
local function commit(now)
  local match_key, log_key, past_key, deadlines_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
  local outbox_key, clock_key, finished_key = KEYS[5], KEYS[6], KEYS[7]
  local match, version_read, progress, config, secret, log = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
  local allowance, margin, kinds, message, packed = ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]
  local FIRST_CLOSED = 12

  local version = redis.call('HGET', match_key, 'version')
  if (version or '0') ~= version_read then return {0} end
  if version_read == '0' and redis.call('EXISTS', finished_key) == 1 then return {0} end
  local next_version = tonumber(version_read) + 1
  now = now or service_now(clock_key)
  local asked, deadline = '', ''

  if packed ~= '' then
    redis.call('SET', finished_key, packed)
    if version then
      redis.call('DEL', match_key, log_key, past_key)
      redis.call('ZREM', deadlines_key, match)
    end
  else
    local fields = {'version', next_version, 'progress', progress}
    if config ~= '' then fields[#fields + 1] = 'config'; fields[#fields + 1] = config end
    if secret ~= '' then fields[#fields + 1] = 'secret'; fields[#fields + 1] = secret end
    if allowance ~= 'keep' then
      asked = string.format('%.0f', now)
      if allowance ~= '' then
        local expires = now + tonumber(allowance)
        deadline = string.format('%.0f', expires)
        redis.call('ZADD', deadlines_key, string.format('%.0f', expires + tonumber(margin)), match)
      else
        redis.call('ZREM', deadlines_key, match)
      end
      fields[#fields + 1] = 'asked'; fields[#fields + 1] = asked
      fields[#fields + 1] = 'deadline'; fields[#fields + 1] = deadline
    else
      local kept = redis.call('HMGET', match_key, 'asked', 'deadline')
      asked, deadline = kept[1], kept[2]
    end
    redis.call('HSET', match_key, unpack(fields))
    if #ARGV >= FIRST_CLOSED then
      for i = FIRST_CLOSED, #ARGV do redis.call('RPUSH', past_key, ARGV[i]) end
      redis.call('SET', log_key, log)
    elseif log ~= '' then
      redis.call('APPEND', log_key, log)
    end
  end

  for kind in string.gmatch(kinds, '%S+') do
    redis.call('RPUSH', outbox_key, kind .. ' ' .. match .. ' ' .. next_version)
  end
  if message ~= '' then redis.call('PUBLISH', 'kozyr:wake', message) end
  return {1, next_version, now, asked, deadline}
end
