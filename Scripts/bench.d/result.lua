-- Requests per second, p50 and p99 in microseconds, answers that were errors.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "RESULT %.0f %.0f %.0f %d\n", summary.requests / (summary.duration / 1000000),
    latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
