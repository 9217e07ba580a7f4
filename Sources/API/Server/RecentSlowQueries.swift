import GatehouseBSON
import Synchronization

/// The latest queries that took long, for whoever looks after the server.
public final class RecentSlowQueries: Sendable {
  struct Query: Sendable {
    let ended: Date
    let objectType: String
    let microseconds: Int
    /// The statement, without values; empty where it could not be explained.
    let statement: String
    let steps: [String]
  }

  private static let capacity = 100
  /// The most characters of a statement that are kept.
  private static let longestStatement = 4_096

  private let queries = Mutex<[Query]>([])

  public init() {}

  /// The latest first.
  var all: [Query] { queries.withLock { $0.reversed() } }

  func add(_ objectType: String, microseconds: Int, statement: String, steps: [String]) {
    let query = Query(
      ended: .now, objectType: objectType, microseconds: microseconds,
      statement: String(statement.prefix(Self.longestStatement)), steps: Array(steps.prefix(20)))
    queries.withLock { queries in
      if queries.count == Self.capacity { queries.removeFirst() }
      queries.append(query)
      precondition(queries.count <= Self.capacity, "a bounded number of queries is kept")
    }
  }
}
