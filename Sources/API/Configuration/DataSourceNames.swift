import Synchronization

/// The names by which clients of App Services call the store, their data source: one for all event loops, since an operator may change
/// them while the server runs.
public final class DataSourceNames: Sendable {
  /// The name that App Services gives the first one.
  public static let standard = "mongodb-atlas"

  private let names: Mutex<Set<String>>

  public init(_ names: Set<String> = [standard]) {
    self.names = Mutex(names)
  }

  /// Answers to these from now on, and to no others.
  public func use(_ newNames: Set<String>) {
    names.withLock { $0 = newNames }
  }

  func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}
