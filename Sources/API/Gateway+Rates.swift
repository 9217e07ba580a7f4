import GatehouseAccess
public import GatehouseHTTP
import GatehouseSharing

extension Gateway {
  /// Counts a request once: for its principal, or for its address as long as nobody is known to make it. Throws
  /// ``APIError/rateLimited(seconds:)``.
  func count(_ request: Request, by principal: Principal?, _ progress: inout Progress) throws(APIError) {
    guard let rates = policies.rates, !progress.isCounted else { return }
    progress.isCounted = true
    let id = principal?.id ?? ""
    // A credential has one bucket wherever it is shown.
    let caller = Caller(address: id.isEmpty ? request.peer.client : 0, principal: id)
    if let seconds = rates.secondsToWait(for: caller) { throw .rateLimited(seconds: seconds) }
  }

  public func countRefusal(of peer: PeerAddress) -> Int? {
    policies.rates?.secondsToWait(for: Caller(address: peer.client, principal: ""))
  }
}

extension RateLimiter {
  /// Takes a token. Returns nil, or the seconds until there will be one.
  fileprivate func secondsToWait(for caller: Caller) -> Int? {
    take(caller).map { Int(($0 + 999_999_999) / 1_000_000_000) }
  }
}
