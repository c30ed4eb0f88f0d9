-- What wrk prints at the end of a round: one line that the shell reads.
function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("result %d %.0f %.0f %d\n", summary.requests,
        summary.requests / (summary.duration / 1e6), latency:percentile(99), failed))
end
