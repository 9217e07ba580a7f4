import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseSharing
import Synchronization

/// The tickets that open event streams in the place of a credential, one list for all event loops. They are in memory
/// only, as hashes.
final class Tickets: Sendable {
  /// The seconds for which a ticket is good.
  static let lifetime: Int64 = 30
  /// The bytes that all tickets may take, about.
  static let capacity = 16 << 20

  fileprivate struct Entry {
    let ticket: Ticket
    let caller: Caller
    let expiry: Date
  }

  fileprivate struct State {
    var entries: [[UInt8]: Entry] = [:]
    /// The hashes of tickets in the order in which they expire, also of those that have been used.
    var order: [(hash: [UInt8], expiry: Date)] = []
    var holdings = Holdings(capacity: Tickets.capacity)
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> Date

  init(clock: @escaping @Sendable () -> Date) {
    self.clock = clock
  }

  /// Keeps a ticket and returns its text, which nobody will know again. Throws ``APIError/tooManyTickets(seconds:)`` where the
  /// caller has its share of them.
  func issue(_ ticket: Ticket, to caller: Caller) throws(APIError) -> String {
    let text = Hexadecimal.text(of: SecureRandom.bytes(24))
    let hash = Tickets.hash(text)
    let isKept = state.withLock { state in
      // Asked for in here, so that the order is that of the times.
      let now = clock()
      let expiry = Tickets.expiry(ofOneMadeAt: now)
      state.expire(at: now)
      do throws(SharingError) { try state.holdings.take(ticket.memorySize, for: caller) } catch {
        return false
      }
      state.entries[hash] = Entry(ticket: ticket, caller: caller, expiry: expiry)
      precondition(state.order.last.map { $0.expiry <= expiry } ?? true, "tickets expire in their order")
      state.order.append((hash, expiry))
      state.check()
      return true
    }
    guard isKept else { throw .tooManyTickets(seconds: Int(Tickets.lifetime)) }
    return text
  }

  /// Takes a ticket, which is none any more, whatever it is shown for. Throws ``APIError/invalidTicket``.
  func redeem(_ text: String, for resource: Ticket.Resource) throws(APIError) -> Ticket {
    let hash = Tickets.hash(text)
    let ticket = state.withLock { state in
      state.expire(at: clock())
      return state.remove(hash)
    }
    guard let ticket, ticket.resource == resource else { throw .invalidTicket }
    return ticket
  }

  /// Returns the content that a ticket stands for; nil: it is none that is good.
  func content(of text: String) -> [UInt8]? {
    let hash = Tickets.hash(text)
    return state.withLock { state in
      state.expire(at: clock())
      return state.entries[hash]?.ticket.content
    }
  }

  /// Forgets the tickets that are no longer good.
  func expire() { state.withLock { $0.expire(at: clock()) } }

  /// The number of tickets that are good.
  var count: Int { state.withLock { $0.entries.count } }

  fileprivate static func expiry(ofOneMadeAt time: Date) -> Date {
    Date(seconds: time.seconds + lifetime, nanoseconds: time.nanoseconds)
  }

  private static func hash(_ text: String) -> [UInt8] { Digest.sha256.hash(Array(text.utf8)) }
}

extension Tickets.State {
  mutating func expire(at now: Date) {
    let count = order.prefix { $0.expiry <= now }.count
    // How old those are that were made by a clock that has been set back since, nobody knows.
    let latest = Tickets.expiry(ofOneMadeAt: now)
    let later = order.reversed().prefix { $0.expiry > latest }.count
    for (hash, _) in order.prefix(count) + order.suffix(later) { _ = remove(hash) }
    order.removeLast(later)
    order.removeFirst(count)
    check()
  }

  func check() {
    precondition(
      entries.isEmpty == (holdings.total == 0), "tickets hold what they take, and nothing else is held")
    precondition(order.count >= entries.count, "each ticket has its time to expire")
  }

  mutating func remove(_ hash: [UInt8]) -> Ticket? {
    guard let entry = entries.removeValue(forKey: hash) else { return nil }
    holdings.give(entry.ticket.memorySize, of: entry.caller)
    return entry.ticket
  }
}

/// The right to open one event stream once, with the rights of whoever asked for it.
struct Ticket: Sendable {
  /// A URL without its origin and without a ticket. Two ways to spell one are the same.
  struct Resource: Hashable, Sendable {
    private let segments: [String]
    /// Names and values in turn.
    private let parameters: [String]

    /// Throws ``GatehouseHTTP/PercentEncodingError``.
    init(_ target: Target) throws(PercentEncodingError) {
      segments = try target.segments()
      parameters = try target.parameters().flatMap { [$0.name, $0.value] }
    }

    fileprivate var memorySize: Int { (segments + parameters).reduce(0) { $0 + $1.utf8.count + 16 } }
  }

  let resource: Resource
  let principal: Principal
  /// The content that a request with the ticket stands for, which the transport of its sender has no place for.
  var content: [UInt8] = []

  /// The bytes that it takes, about.
  var memorySize: Int { resource.memorySize + content.count + 512 }
}
