-- Commit one step of a match that its writer has not read but remembers. If anything differs from what the writer
-- remembers, write nothing and return a snapshot instead.
--
-- KEYS 1 … 7 those of commit.lua
--      8 annotations of the finished match (list)
--      9 grants of the bucket
-- ARGV 1 … those of commit.lua, except that the last three are:
--        the grants on which the writer's token relies
--        service time at which the writer sent this, by its estimate, in ms
--        how late this may run after that instant, in ms
-- returns {1, version, now, asked, deadline}  committed, as commit.lua does
--         {0, snapshot}                       something differs; nothing has changed
local match_key, log_key, clock_key, finished_key = KEYS[1], KEYS[2], KEYS[6], KEYS[7]
local annotations_key, grants_key = KEYS[8], KEYS[9]
local late, sent, grants = tonumber(table.remove(ARGV)), tonumber(table.remove(ARGV)), table.remove(ARGV)

local now, running = service_now(clock_key)
local known = running and now >= sent - 1 and now <= sent + late
if known and (redis.call('GET', grants_key) or '') == grants then
  local made = commit(now)
  if made[1] == 1 then return made end
end
return {0, read_snapshot(match_key, log_key, clock_key, finished_key, annotations_key, grants_key)}
