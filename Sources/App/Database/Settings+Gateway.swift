import GatehouseAPI
import GatehouseSharing
import GatehouseTelemetry

extension Settings {
  /// The options of the gateways, as far as they stay.
  var gatewayOptions: GatewayOptions {
    var options = GatewayOptions()
    options.limits = RequestLimits(contentSize: contentBytes, streamSize: streamBytes)
    options.auditDetails = auditDetails.details
    options.compresses = compression
    return options
  }

  /// The web site beside the API; nil: there is none. Throws ``CommandError``.
  var site: HostedSite? {
    get throws {
      guard !hosting.isEmpty else { return nil }
      let fallback = hostingFallback.split(separator: "/").map(String.init)
      return HostedSite(try HostedFolder(hosting, beside: data), fallback: fallback.isEmpty ? nil : fallback)
    }
  }

  /// Returns the policies that requests are held against; `isGuarded` is whether callers need a key, `rates` limits them as they have been limited
  /// until now, and `slowQueries` makes what notes queries beyond so many milliseconds.
  func policies(
    isGuarded: Bool, rates: RateLimiter?, _ slowQueries: (Int) -> SlowQueryLog
  ) -> RequestPolicies {
    var policies = RequestPolicies()
    policies.hosts = hostPolicy(isGuarded: isGuarded)
    policies.cors = corsPolicy
    policies.conditionalWrites = requireIfMatch
    policies.durability = durability
    if requestsPerSecond > 0 {
      policies.rates =
        rates
        ?? RateLimiter(
          requestsPerSecond: requestsPerSecond, burst: requestBurst > 0 ? requestBurst : requestsPerSecond,
          now: MonotonicClock.now)
    }
    if slowQueryMilliseconds > 0 {
      policies.slowQueries = slowQueries(slowQueryMilliseconds)
    }
    return policies
  }
}
