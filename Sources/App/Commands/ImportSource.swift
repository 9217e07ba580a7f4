import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Reads the lines of an import and makes operations of them.
///
/// The store asks for them from its own thread: the state is behind a mutex, and only one asks at a time.
final class ImportSource: Sendable {
  private struct State: ~Copyable {
    var lines: LineReader
    var json = JSONReader()
    var progress: ProgressDisplay
    /// The line of each operation of the transaction at hand, in order.
    var numbers: [Int] = []
    var objects = 0
    /// The objects, and the last line, of the transactions that are committed.
    var committed = (objects: 0, line: 0)
    var failure: CommandError?
  }

  /// The most objects that the store is given at once.
  static let pieceSize = 1000

  private let path: String
  private let objectType: ObjectType
  private let schema: Schema
  private let policy: Operation.UpdatePolicy
  private let state: Mutex<State>

  init(
    path: String, objectType: ObjectType, schema: Schema, policy: Operation.UpdatePolicy
  ) throws(CommandError) {
    self.path = path
    self.objectType = objectType
    self.schema = schema
    self.policy = policy
    state = Mutex(
      State(lines: try LineReader(path: path), progress: ProgressDisplay(title: objectType.name)))
  }

  /// Operations for the next objects, at most `count`; nil at the end. Empty lines are skipped.
  func next(_ count: Int) throws(CommandError) -> [Operation]? {
    try state.withLock { (state) throws(CommandError) in
      do throws(CommandError) {
        return try operations(count, &state)
      } catch {
        state.failure = error
        throw error
      }
    }
  }

  private func operations(_ count: Int, _ state: inout State) throws(CommandError) -> [Operation]? {
    var operations: [Operation] = []
    operations.reserveCapacity(min(count, ImportSource.pieceSize))
    while operations.count < count, let line = try state.lines.next() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      operations.append(try operation(line, &state))
      state.numbers.append(state.lines.number)
    }
    state.objects += operations.count
    state.progress.update(objects: state.objects, fraction: state.lines.fraction)
    return operations.isEmpty ? nil : operations
  }

  private func operation(_ line: ArraySlice<UInt8>, _ state: inout State) throws(CommandError) -> Operation {
    do {
      let value = try line.withUnsafeBufferPointer { (text) throws(JSONError) in try state.json.read(text) }
      let draft = try objectType.draft(from: value, in: schema, mode: policy == .error ? .create : .update)
      return .create(objectType: objectType.name, draft: draft, policy: policy)
    } catch {
      throw .line(path: path, number: state.lines.number, reason: FailureText.of(error))
    }
  }

  /// Notes that the operations so far have been committed, so that a new transaction begins.
  func commit() {
    state.withLock { state in
      state.committed = (state.objects, state.numbers.last ?? state.committed.line)
      state.numbers = []
    }
  }

  /// Returns the error of the import, by the store or by a line, with the part of it that is in the store
  /// nevertheless.
  func explained(_ error: any Error) -> any Error {
    let reason = failure ?? located(error)
    let (objects, line) = state.withLock { $0.committed }
    guard objects > 0 else { return reason }
    return CommandError.partlyImported(
      reason: (reason as? StorageError).flatMap(ImportSource.reason) ?? FailureText.of(reason),
      objects: objects,
      line: line)
  }

  /// Returns the reason in place of an error's text that is about all that was to be written.
  private static func reason(_ error: StorageError) -> String? {
    if case .diskFull = error { "The disk is full." } else { nil }
  }

  /// The error that this source threw; nil if it threw none.
  private var failure: CommandError? { state.withLock { $0.failure } }

  /// Returns the store's error with the line that it is about.
  private func located(_ error: any Error) -> any Error {
    guard let error = error as? OperationError else { return error }
    // No line is at fault.
    if case .diskFull = error.reason { return error.reason }
    return state.withLock { state in
      guard state.numbers.indices.contains(error.operation) else { return error.reason }
      return CommandError.line(
        path: path, number: state.numbers[error.operation], reason: FailureText.of(error.reason))
    }
  }

  func finish() {
    state.withLock { $0.progress.finish(objects: $0.objects, verb: "imported") }
  }

  func abandon() {
    state.withLock { $0.progress.abandon() }
  }
}
