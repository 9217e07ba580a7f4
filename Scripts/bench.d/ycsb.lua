-- One workload of YCSB. Environment: BENCH_SYSTEM (pocketbase, or the durability that ours is asked for), BENCH_WORKLOAD (A to F; update:
-- updates of any object; hot: four of five updates are of one), BENCH_RECORDS, BENCH_RUN (a number that no other run of a store has).
local system = os.getenv("BENCH_SYSTEM")
local workload = os.getenv("BENCH_WORKLOAD")
local records = tonumber(os.getenv("BENCH_RECORDS"))
local run = tonumber(os.getenv("BENCH_RUN"))
local is_ours = system ~= "pocketbase"

-- The shares of operations; what is left are reads.
local shares = {
  A = { update = 0.5 }, B = { update = 0.05 }, C = {}, D = { insert = 0.05 }, E = { scan = 0.95, insert = 0.05 }, F = { modify = 0.5 },
  update = { update = 1 }, hot = { update = 1 },
}
local share = shares[workload]

-- YCSB's generator (Gray et al., "Quickly generating billion-record synthetic databases"), with its constant.
local theta = 0.99
local zeta, zeta2 = 0, 1 + 0.5 ^ theta
for i = 1, records do zeta = zeta + 1 / i ^ theta end
local alpha = 1 / (1 - theta)
local eta = (1 - (2 / records) ^ (1 - theta)) / (1 - zeta2 / zeta)

local function rank()
  local u = math.random()
  if u * zeta < 1 then return 0 end
  if u * zeta < zeta2 then return 1 end
  return math.min(records - 1, math.floor(records * (eta * u - eta + 1) ^ alpha))
end

-- Keys that are asked for often are scattered over all.
local function any() return (rank() * 2654435761) % records end

local inserted = 0
-- Insertions that may not have been answered yet.
local pending = 64
local first = records + run * 1000000

local function latest()
  local place = rank() + pending
  if place < inserted then return first + inserted - place end
  return math.max(0, records - 1 - (place - math.min(inserted, place)))
end

local path = is_ours and "/v1/collections/Usertable" or "/api/collections/Usertable/records"
local headers = { ["Content-Type"] = "application/json", ["Prefer"] = is_ours and "durability=" .. system or nil }
local values = {}
for i = 1, 256 do
  local letters = {}
  for j = 1, 100 do letters[j] = string.char(math.random(97, 122)) end
  values[i] = table.concat(letters)
end

local function key(number) return string.format("user%011d", number) end
local function value() return values[math.random(#values)] end

local function read(number) return wrk.format("GET", path .. "/" .. key(number)) end

local function update(number)
  local body = string.format('{"field%d":"%s"}', math.random(0, 9), value())
  return wrk.format("PATCH", path .. "/" .. key(number), headers, body)
end

local function insert()
  inserted = inserted + 1
  local members = { string.format('"%s":"%s"', is_ours and "_id" or "id", key(first + inserted)) }
  for i = 0, 9 do members[#members + 1] = string.format('"field%d":"%s"', i, value()) end
  return wrk.format("POST", path, headers, "{" .. table.concat(members, ",") .. "}")
end

local function scan(number)
  local form = is_ours and "?filter=_id%%20%%3E%%3D%%20%%22%s%%22&sort=_id&limit=%d"
    or "?filter=id%%3E%%3D%%22%s%%22&sort=id&perPage=%d&skipTotal=1"
  return wrk.format("GET", path .. string.format(form, key(number), math.random(1, 100)))
end

function init(arguments) math.randomseed(7 + run) end

local modified
function request()
  if modified then
    local number = modified
    modified = nil
    return update(number)
  end
  local choice = math.random()
  if choice < (share.update or 0) then
    return update(workload == "hot" and math.random() < 0.8 and 0 or any())
  elseif choice < (share.modify or 0) then
    modified = any()
    return read(modified)
  elseif choice < (share.scan or 0) then
    return scan(any())
  elseif choice < (share.scan or 0) + (share.insert or 0) then
    return insert()
  end
  return read(workload == "D" and latest() or any())
end

dofile("Scripts/bench.d/result.lua")
