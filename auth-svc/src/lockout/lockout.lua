-- The lockout rules of lockout_rules.rs as one atomic Redis script for all replicas, using the clock of Redis.
-- KEYS: primary counter; secondary counter, or the primary one again if there is none; counters of the rate limits.
-- ARGV: operation; attempts; block and expiry in ms; wait of `import` in ms; then for each rate limit its burst and interval in ms.
-- Returns {0, ms} when blocked, else {1, attempts left}.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local op = ARGV[1]
local max_tries, block, expiry, imported = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local function read(key)
  local stored = redis.call('HMGET', key, 'failures', 'until', 'last', 'blocked')
  local counter = { key = key, failures = tonumber(stored[1]) or 0, until_ms = tonumber(stored[2]) or 0,
                    last = tonumber(stored[3]) or 0, blocked = tonumber(stored[4]) or 0 }
  if counter.until_ms <= now then counter.failures = 0 end
  return counter
end

local function write(counter)
  local function text(number) return string.format('%.0f', number) end
  local ttl = math.max(counter.until_ms, counter.blocked) - now
  if ttl <= 0 or (counter.failures == 0 and counter.blocked <= now) then
    redis.call('DEL', counter.key)
    return
  end
  redis.call('HSET', counter.key, 'failures', text(counter.failures), 'until', text(counter.until_ms),
             'last', text(counter.last), 'blocked', text(counter.blocked))
  redis.call('PEXPIRE', counter.key, text(ttl))
end

local function fail(counter)
  counter.failures, counter.last, counter.until_ms = counter.failures + 1, now, now + expiry
end

local primary = read(KEYS[1])
local secondary = KEYS[2] ~= KEYS[1] and read(KEYS[2]) or nil
local rate_limits = {}
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 2
  local counter = read(KEYS[i])
  counter.limit, counter.ms = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  rate_limits[#rate_limits + 1] = counter
end

if op == 'import' then
  primary.failures = 0
  primary.blocked = math.max(primary.blocked, now + imported)
  write(primary)
  return { 0, imported }
end

if op == 'release' then
  for _, counter in ipairs(rate_limits) do
    if counter.failures > 0 then
      counter.failures, counter.until_ms = counter.failures - 1, counter.until_ms - counter.ms
    end
    write(counter)
  end
  if secondary then
    secondary.failures = 0
    write(secondary)
  end
  primary.failures, primary.blocked = 0, 0
  write(primary)
  return { 1, max_tries }
end

local wait = primary.blocked - now
for _, counter in ipairs(rate_limits) do
  wait = math.max(wait, counter.until_ms - now - (counter.limit - 1) * counter.ms)
end
if wait > 0 then return { 0, wait } end
if op == 'check' then return { 1, max_tries } end

for _, counter in ipairs(rate_limits) do
  counter.until_ms = math.max(counter.until_ms, now) + counter.ms
  counter.failures, counter.last = counter.failures + 1, now
  write(counter)
end
if secondary then
  fail(secondary)
  if secondary.failures >= max_tries then
    secondary.failures = 0
    if secondary.blocked <= now then secondary.blocked = now + block end
  end
  write(secondary)
end
fail(primary)
local left = max_tries - primary.failures
if left <= 0 then
  primary.failures, primary.blocked = 0, now + block
end
write(primary)
return { 1, math.max(left, 0) }
