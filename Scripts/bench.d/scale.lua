-- One measured read of class Item. Environment: SCALE_OPERATION (get, list), SCALE_OBJECTS (how many there are).
local operation = os.getenv("SCALE_OPERATION")
local objects = tonumber(os.getenv("SCALE_OBJECTS"))

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local prepared = {}
local sent = 0

-- So many that no cache of the server's has them all where there are many objects.
function init(arguments)
  math.randomseed(7 + number)
  for place = 1, 65536 do
    local path = operation == "get" and string.format("/v1/collections/Item/%d", math.random(0, objects - 1))
      or string.format(
        "/v1/collections/Item?filter=rank%%20%%3E%%20%d&sort=rank&limit=20", math.random(0, 990000))
    prepared[place] = wrk.format("GET", path)
  end
end

function request()
  sent = sent + 1
  return prepared[sent % #prepared + 1]
end

-- Requests per second, p99 in microseconds, answers that were errors.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "RESULT %.0f %.0f %d\n", summary.requests / (summary.duration / 1000000), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
