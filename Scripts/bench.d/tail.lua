-- Loads whose slowest answers matter. Environment: BENCH_OPERATION (get: an object by its identifier; scan: a filter that no
-- index serves; create: an object of one row), BENCH_OBJECTS (how many objects there are).
local operation = os.getenv("BENCH_OPERATION")
local objects = tonumber(os.getenv("BENCH_OBJECTS") or "1")

local threads = {}
local sent = 0
refused = 0

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(arguments) math.randomseed(7 + number) end

function request()
  sent = sent + 1
  if operation == "get" then
    return wrk.format("GET", string.format("/v1/collections/Item/%d", math.random(0, objects - 1)))
  elseif operation == "scan" then
    local text = string.format("name%%20CONTAINS%%20'%d'%%20AND%%20price%%20%%3C%%200", math.random(1, 1000))
    return wrk.format("GET", "/v1/collections/Item?limit=20&filter=" .. text)
  end
  local id = 1000000000 * (number + 1) + sent
  local body = string.format('{"id":%d,"title":"Note %d"}', id, id)
  return wrk.format("POST", "/v1/collections/Note", { ["Content-Type"] = "application/json" }, body)
end

if operation == "scan" then
  function response(status)
    if status == 503 or status == 429 then refused = refused + 1 end
  end
end

-- Requests per second, p50, p99 and the longest in milliseconds, errors, and those of them that were 503 or 429.
function done(summary, latency, requests)
  local errors, refusals = summary.errors, 0
  for _, thread in ipairs(threads) do refusals = refusals + thread:get("refused") end
  io.write(string.format(
    "%8.0f/s  p50 %8.2f ms  p99 %8.2f ms  max %8.2f ms  errors %d  refused %d\n",
    summary.requests / (summary.duration / 1000000), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency.max / 1000, errors.status + errors.connect + errors.read + errors.write + errors.timeout, refusals))
end
