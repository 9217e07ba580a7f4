import GatehouseSQLite
import Glibc
import Synchronization

/// Makes pins of the newest state, and gives out those that are there already. An older state cannot be pinned any more.
///
/// Because readers, each with its connection, are handed from one owner to the next under the lock, it is safe to share.
final class PinPool: @unchecked Sendable {
  private struct State {
    weak var newest: Pin?
    /// The number of pins that are held.
    var count = 0
  }

  /// Readers that are kept for the next pins, with the statements that they have compiled.
  private static let mostSpares = 4

  private let view: StoreView
  private let state = Mutex(State())
  private let lock = Mutex(())
  private var spares: [TypedReader] = []

  init(_ view: StoreView) { self.view = view }

  /// The number of states that are held.
  var count: Int { state.withLock { $0.count } }

  /// Returns the newest state, held.
  func pin() throws(StorageError) -> Pin {
    let published = view.state
    let newest = state.withLock { state in
      state.newest.flatMap {
        $0.version == published.version && $0.generation == published.catalog.generation ? $0 : nil
      }
    }
    if let newest { return newest }
    let pin = try makePin()
    state.withLock { state in
      state.count += 1
      if (state.newest?.version ?? -1) <= pin.version { state.newest = pin }
    }
    return pin
  }

  private func makePin() throws(StorageError) -> Pin {
    let kept = lock.withLock { _ in spares.popLast() }
    var reader = if let kept { kept } else { try open() }
    do throws(StorageError) {
      for attempt in 0... {
        let catalog = view.state.catalog
        if reader.session.catalog !== catalog { reader = reader.of(catalog) }
        try reader.session.begin()
        let version = try LogReader(session: reader.session).lastVersion()
        let published = view.state
        // A commit is in the file a moment before it is published.
        if published.version == version, published.catalog === catalog {
          return Pin(reader, at: version, pool: self)
        }
        reader.session.end()
        if attempt > 3 { usleep(100) }
        if attempt > 20_000 { throw .timeLimit }
      }
    } catch {
      reader.session.end()
      throw error
    }
    throw .timeLimit
  }

  private func open() throws(StorageError) -> TypedReader {
    let connection = try DatabaseFile.openReader(view.database, isAlone: view.isAlone)
    connection.limits.time = view.options.queryTime
    connection.obeyLimits()
    let residuals = Residuals()
    do { try residuals.register(on: connection) } catch { throw StorageError(error) }
    return TypedReader(ReadSession(connection, catalog: view.state.catalog), residuals)
  }

  /// Ends the transaction of a state that nobody holds any more.
  func takeBack(_ reader: TypedReader) {
    reader.session.end()
    state.withLock { state in
      precondition(state.count > 0, "a state that is given back was held")
      state.count -= 1
    }
    lock.withLock { _ in if spares.count < Self.mostSpares { spares.append(reader) } }
  }
}
