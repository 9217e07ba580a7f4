-- Creates objects that belong to whoever asks, one user after the other. Environment: BENCH_USERS, a file as owners.py
-- writes it.
local users = {}
local next = 0
for line in io.lines(os.getenv("BENCH_USERS")) do
  local id, token = line:match("(%S+) (%S+)")
  if id ~= "-" then users[#users + 1] = { id = id, token = token } end
end
local text = string.rep("x", 200)

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init()
  math.randomseed(os.time() * 16 + number)
  next = math.random(#users)
end

function request()
  next = next % #users + 1
  local user = users[next]
  local fields = { ["Content-Type"] = "application/json", Authorization = "Bearer " .. user.token }
  local id = string.format("%08x%08x%08x", math.random(0, 0x7fffffff), math.random(0, 0x7fffffff), math.random(0, 0x7fffffff))
  return wrk.format("POST", nil, fields, string.format('{"_id":"%s","owner_id":"%s","text":"%s"}', id, user.id, text))
end

dofile("Scripts/bench.d/result.lua")
