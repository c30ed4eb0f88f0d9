-- Each request comes from another address, as a trusted proxy says it.
dofile("result.lua")
local number = 0
function request()
    number = number + 1
    return wrk.format("GET", "/v1/forms", {
        ["X-Forwarded-For"] = string.format("11.%d.%d.%d", number / 65536 % 256, number / 256 % 256, number % 256),
    })
end
