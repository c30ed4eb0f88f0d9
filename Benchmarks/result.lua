-- What wrk prints at the end of a round, one line that the shell reads: the requests that got what was expected, how many of them
-- a second, the p99 of all in microseconds, and how many got something else.
local expected = tonumber(os.getenv("LOAD_STATUS") or "")
local threads = {}

function setup(thread)
    thread:set("thread", #threads)
    threads[#threads + 1] = thread
end

-- wrk counts what is 400 and above by itself; looking at each response takes time of the load.
if expected then
    others = 0
    function response(status)
        if status ~= expected then others = others + 1 end
    end
end

function done(summary, latency)
    local errors = summary.errors
    local refused = errors.status
    if expected then
        refused = 0
        for _, thread in ipairs(threads) do refused = refused + thread:get("others") end
    end
    local served = summary.requests - refused
    io.write(string.format("result %d %.0f %.0f %d\n", served, served / (summary.duration / 1e6), latency:percentile(99),
        refused + errors.connect + errors.read + errors.write + errors.timeout))
end
