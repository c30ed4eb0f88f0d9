-- What wrk posts: the body of the file that LOAD_BODY names. Prints one line that the shell reads.
local file = assert(io.open(os.getenv("LOAD_BODY"), "r"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("result %d %.0f %.0f %d\n", summary.requests,
        summary.requests / (summary.duration / 1e6), latency:percentile(99), failed))
end
