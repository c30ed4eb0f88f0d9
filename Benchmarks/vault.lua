-- What wrk asks of the vault: with LOAD_ALIASES, to reveal the aliases of that file in turn; else to make an alias for a
-- value that it has never seen. Each thread of wrk has a state of its own, and its number in the values.
dofile("result.lua")
local wanted = os.getenv("LOAD_ALIASES")
local prefix = os.getenv("LOAD_PREFIX") or "value"
local aliases = {}
local each = tonumber(os.getenv("LOAD_VALUES") or "1")
local number = 0
local headers = {["Content-Type"] = "application/json", ["Authorization"] = "Basic ZGV2OmRldi1zZWNyZXQ="}

if wanted then
    for line in io.lines(wanted) do aliases[#aliases + 1] = line end
end

function request()
    number = number + 1
    if wanted then return wrk.format("GET", "/aliases/" .. aliases[(number + thread * 7919) % #aliases + 1], headers) end
    local items = {}
    for n = 1, each do items[n] = string.format('{"value":"%s %d%011d %02d","format":"UUID"}', prefix, thread, number, n) end
    local body = '{"data":[' .. table.concat(items, ",") .. "]}"
    return wrk.format("POST", "/aliases", headers, body)
end
