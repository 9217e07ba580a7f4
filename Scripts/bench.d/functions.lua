-- Calls `sum` with 1, 2 and 3. Environment: BENCH_CONTENT (json, bson).
local function array(type, ...)
  local elements = ""
  for place, value in ipairs({ ... }) do
    elements = elements .. string.char(type) .. (place - 1) .. "\0" .. string.char(value, 0, 0, 0)
  end
  return elements
end

local function document(elements)
  local length = #elements + 5
  return string.char(length % 256, math.floor(length / 256), 0, 0) .. elements .. "\0"
end

wrk.method = "POST"
if os.getenv("BENCH_CONTENT") == "bson" then
  wrk.headers["Content-Type"] = "application/bson"
  wrk.headers["Accept"] = "application/bson"
  wrk.body = document("\4arguments\0" .. document(array(16, 1, 2, 3)))
else
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = "[1,2,3]"
end

dofile("Scripts/bench.d/result.lua")
