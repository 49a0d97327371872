-- Prepended to every script that writes a new token.
--
-- KEYS 1 token  2 ids of tokens  3 tokens of the subject
-- ARGV 1 token id  2 digest  3 token (JSON)  4 owner id  5 bot id or ''
local function write_token()
  redis.call('HSET', KEYS[1], 'doc', ARGV[3], 'owner', ARGV[4], 'bot', ARGV[5])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('SADD', KEYS[3], ARGV[1])
end
