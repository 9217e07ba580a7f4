internal import GatehouseHTTP
internal import Synchronization

/// Counts connections, of all loops together, against their limits.
final class Admission: Sendable {
  private struct Counts {
    var all = 0
    var byClient: [Client: Int] = [:]
  }

  /// The address that counts as one client: an IPv4 address, or a /64 network, as one IPv6 user has.
  private struct Client: Hashable {
    let isIPv6: Bool
    let number: UInt64
  }

  private let limit: Int
  private let limitPerClient: Int
  private let counts = Mutex(Counts())

  init(limit: Int, limitPerClient: Int) {
    self.limit = limit
    self.limitPerClient = limitPerClient
  }

  /// How many connections there are.
  var count: Int { counts.withLock(\.all) }

  /// Counts a connection in; false, and nothing counted, when it would be one too many.
  func enter(_ peer: PeerAddress) -> Bool {
    counts.withLock { counts in
      guard counts.all < limit else { return false }
      if let client = client(peer) {
        let others = counts.byClient[client, default: 0]
        guard others < limitPerClient else { return false }
        counts.byClient[client] = others + 1
      }
      counts.all += 1
      return true
    }
  }

  /// Counts a connection out.
  func leave(_ peer: PeerAddress) {
    counts.withLock { counts in
      precondition(counts.all > 0, "a connection that is counted out was counted in")
      counts.all -= 1
      guard let client = client(peer) else { return }
      let count = counts.byClient[client] ?? 0
      precondition(count > 0, "a connection that is counted out was counted in")
      counts.byClient[client] = count > 1 ? count - 1 : nil
    }
  }

  private func client(_ peer: PeerAddress) -> Client? {
    switch peer {
    case .ipv4(let address, _): Client(isIPv6: false, number: UInt64(address))
    case .ipv6(let high, _, _): Client(isIPv6: true, number: high)
    case .local: nil
    }
  }
}
