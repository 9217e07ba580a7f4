-- Creates cities with keys that ascend from BENCH_FIRST.
local first = tonumber(os.getenv("BENCH_FIRST"))
local threads = 0
local sent = 0
local headers = { ["Content-Type"] = "application/json" }

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function request()
  sent = sent + 1
  local id = first + number * 5000000 + sent
  local body = string.format(
    '{"id":%d,"name":"City %d","country":"DE","population":%d,"latitude":52.5,"longitude":13.4,"names":["a","b"]}',
    id, id, id * 7)
  return wrk.format("POST", "/v1/collections/City", headers, body)
end

dofile("Scripts/bench.d/result.lua")
