-- What wrk prints at the end of a round: one line that the shell reads.
function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.timeout
    -- Where a refusal is what is measured, responses that are none have failed.
    local refusal = (tonumber(os.getenv("LOAD_STATUS") or "") or 200) >= 400
    failed = failed + (refusal and summary.requests - errors.status or errors.status)
    io.write(string.format("result %d %.0f %.0f %d\n", summary.requests,
        summary.requests / (summary.duration / 1e6), latency:percentile(99), failed))
end
