-- Asks for documents by the data source, or for the same objects over REST. Environment: BENCH_OPERATION, one of get, findOne,
-- query and find; BENCH_DOCUMENTS, how many there are.
local operation = os.getenv("BENCH_OPERATION")
local documents = tonumber(os.getenv("BENCH_DOCUMENTS"))
local place = '{"dataSource":"mongodb-atlas","database":"d","collection":"Item",'
local action = "/app/any/endpoint/data/v1/action/"
local fields = { ["Content-Type"] = "application/json" }

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init()
  math.randomseed(os.time() * 16 + number)
end

function request()
  local id = math.random(0, documents - 1)
  local group = id % 50000
  if operation == "get" then return wrk.format("GET", "/v1/collections/Item/" .. id) end
  if operation == "query" then return wrk.format("GET", "/v1/collections/Item?filter=group==" .. group) end
  if operation == "find" then
    return wrk.format("POST", action .. "find", fields, place .. '"filter":{"group":' .. group .. "}}")
  end
  return wrk.format("POST", action .. "findOne", fields, place .. '"filter":{"_id":' .. id .. "}}")
end

dofile("Scripts/bench.d/result.lua")
