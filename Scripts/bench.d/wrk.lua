-- One measured operation. Environment: BENCH_SYSTEM (gatehouse, pocketbase), BENCH_OPERATION (get, list, create: a
-- city with its embedded location, list and set; note: an object of one row),
-- BENCH_IDS (a file with an id a line), BENCH_RUN (a number that no other run of the same store has).
local system = os.getenv("BENCH_SYSTEM")
local operation = os.getenv("BENCH_OPERATION")
local first = tonumber(os.getenv("BENCH_RUN")) * 10000000

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local paths = {
  gatehouse = {
    get = "/v1/collections/City/%s",
    list = "/v1/collections/City?filter=population%%20%%3E%%20%d&sort=population&limit=20",
    create = "/v1/collections/City",
    note = "/v1/collections/Note",
  },
  pocketbase = {
    get = "/api/collections/City/records/%015d",
    list = "/api/collections/City/records?filter=population%%3E%d&sort=population&perPage=20&skipTotal=1",
    create = "/api/collections/City/records",
    note = "/api/collections/Note/records",
  },
}

local headers = { ["Content-Type"] = "application/json" }

-- The same object in the words of either.
local function note(id)
  local key = system == "gatehouse" and string.format('"_id":%d', id) or string.format('"id":"%015d"', id)
  return string.format('{%s,"title":"Bench %d","text":"Written to measure.","rank":%d}', key, id, id % 100000)
end

local function city(id)
  local shared = string.format(
    '"name":"Bench %d","admin1":"01","population":%d,"timezone":"Etc/UTC",'
      .. '"location":{"type":"Point","coordinates":[1.5,2.5]},"alternateNames":["a","b","c"]',
    id, id % 100000)
  if system == "gatehouse" then return string.format('{"_id":%d,"country":"FR",%s}', id, shared) end
  return string.format('{"id":"%015d","country":"FR",%s}', id, shared)
end

local bodies = { create = city, note = note }
local prepared = {}
local sent = 0

-- Reads are made beforehand: the generator runs on the processors that it measures.
function init(arguments)
  if bodies[operation] then return end
  local ids = {}
  for line in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = line end
  math.randomseed(7 + number)
  for place = 1, 8192 do
    local value = operation == "get" and ids[math.random(#ids)] or math.random(15000, 500000)
    prepared[place] = wrk.format("GET", string.format(paths[system][operation], value))
  end
end

function request()
  sent = sent + 1
  local body = bodies[operation]
  if not body then return prepared[sent % #prepared + 1] end
  return wrk.format("POST", paths[system][operation], headers, body(first + number * 5000000 + sent))
end

dofile("Scripts/bench.d/result.lua")
