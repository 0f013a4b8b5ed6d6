-- The lockout rules of rules.rs as one atomic Redis script for all replicas, using the clock of Redis.
-- KEYS: primary counter; secondary counter, or the primary one again if there is none; counters of the rate limits.
-- ARGV: operation; attempts; block and memory in ms; wait of `adopt` in ms; then for each rate limit its burst and interval in ms.
-- Returns {0, ms} when blocked, else {1, attempts left}.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local act = ARGV[1]
local tries, block, memory, adopted = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local function read(key)
  local held = redis.call('HMGET', key, 'failures', 'until', 'last', 'blocked')
  local cell = { key = key, failures = tonumber(held[1]) or 0, ends = tonumber(held[2]) or 0,
                 last = tonumber(held[3]) or 0, blocked = tonumber(held[4]) or 0 }
  if cell.ends <= now then cell.failures = 0 end
  return cell
end

local function write(cell)
  local function text(number) return string.format('%.0f', number) end
  local keep = math.max(cell.ends, cell.blocked) - now
  if keep <= 0 or (cell.failures == 0 and cell.blocked <= now) then
    redis.call('DEL', cell.key)
    return
  end
  redis.call('HSET', cell.key, 'failures', text(cell.failures), 'until', text(cell.ends),
             'last', text(cell.last), 'blocked', text(cell.blocked))
  redis.call('PEXPIRE', cell.key, text(keep))
end

local function fail(cell)
  cell.failures, cell.last, cell.ends = cell.failures + 1, now, now + memory
end

local decider = read(KEYS[1])
local shadow = KEYS[2] ~= KEYS[1] and read(KEYS[2]) or nil
local wide = {}
for i = 3, #KEYS do
  local at = 6 + (i - 3) * 2
  local cell = read(KEYS[i])
  cell.limit, cell.ms = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  wide[#wide + 1] = cell
end

if act == 'adopt' then
  decider.failures = 0
  decider.blocked = math.max(decider.blocked, now + adopted)
  write(decider)
  return { 0, adopted }
end

if act == 'settle' then
  for _, cell in ipairs(wide) do
    if cell.failures > 0 then
      cell.failures, cell.ends = cell.failures - 1, cell.ends - cell.ms
    end
    write(cell)
  end
  if shadow then
    shadow.failures = 0
    write(shadow)
  end
  decider.failures, decider.blocked = 0, 0
  write(decider)
  return { 1, tries }
end

local wait = decider.blocked - now
for _, cell in ipairs(wide) do
  wait = math.max(wait, cell.ends - now - (cell.limit - 1) * cell.ms)
end
if wait > 0 then return { 0, wait } end
if act == 'look' then return { 1, tries } end

for _, cell in ipairs(wide) do
  cell.ends = math.max(cell.ends, now) + cell.ms
  cell.failures, cell.last = cell.failures + 1, now
  write(cell)
end
if shadow then
  fail(shadow)
  if shadow.failures >= tries then
    shadow.failures = 0
    if shadow.blocked <= now then shadow.blocked = now + block end
  end
  write(shadow)
end
fail(decider)
local left = tries - decider.failures
if left <= 0 then
  decider.failures, decider.blocked = 0, now + block
end
write(decider)
return { 1, math.max(left, 0) }
