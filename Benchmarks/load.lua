-- What wrk posts: the body of the file that LOAD_BODY names.
dofile("result.lua")
local file = assert(io.open(os.getenv("LOAD_BODY"), "r"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()
local authorization = os.getenv("LOAD_AUTHORIZATION") or ""
if authorization ~= "" then wrk.headers["Authorization"] = authorization end
