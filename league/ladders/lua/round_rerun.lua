-- A match that did not count is played again as another one, which takes its place in the round; each match once.
--
-- KEYS 1 round  2 open matches of the round  3 matches played again (hash)
-- ARGV 1 match id  2 id of the match in its place  3 their table
-- returns the id of the match in its place: this one, or the one that has been there
local known = redis.call('HGET', KEYS[3], ARGV[1])
if known then return known end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'over', -1)
redis.call('HINCRBY', KEYS[1], 'aborted', -1)
-- A failed round stays failed.
if redis.call('HGET', KEYS[1], 'state') == 'done' then
  redis.call('HSET', KEYS[1], 'state', 'running')
  redis.call('HDEL', KEYS[1], 'ended')
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return ARGV[2]
