-- Creates objects with ascending keys, or reads those below COUNT. Environment: BENCH_FIRST (the first key to create; none: reads),
-- BENCH_COUNT.
local first = tonumber(os.getenv("BENCH_FIRST"))
local count = tonumber(os.getenv("BENCH_COUNT"))
local threads = 0
local sent = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init() math.randomseed(7 + number) end

function request()
  sent = sent + 1
  if not first then return wrk.format("GET", "/v1/collections/Item/" .. math.random(count)) end
  local body = string.format('{"_id":%d,"text":"Written to measure."}', first + number * 5000000 + sent)
  return wrk.format("POST", "/v1/collections/Item", { ["Content-Type"] = "application/json" }, body)
end

dofile("Scripts/bench.d/result.lua")
