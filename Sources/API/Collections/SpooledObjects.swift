import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Makes operations of the lines or rows of a file, some at a time.
///
/// The store asks for them from its own thread: the state is behind a mutex, and only one asks at a time.
final class SpooledObjects: Sendable {
  private struct State: ~Copyable {
    var records: LocatedRecords
    /// The bytes that were read but not used yet.
    var rest: [UInt8] = []
    /// The offset of the next piece in the file.
    var offset = 0
    var isWhole = false
    var failure: (any Error)?
  }

  private static let pieceSize = 256 << 10

  private let spool: Spool
  private let format: SequenceFormat
  private let objectType: ObjectType
  private let schema: Schema
  private let policy: GatehouseStorage.Operation.UpdatePolicy
  private let permit: Permit?
  /// The longest record.
  private let limit: Int
  private let state: Mutex<State>

  init(
    _ spool: Spool, as format: SequenceFormat, for call: Call, of objectType: ObjectType,
    policy: GatehouseStorage.Operation.UpdatePolicy, limit: Int
  ) {
    self.spool = spool
    self.format = format
    self.objectType = objectType
    self.policy = policy
    self.limit = limit
    schema = call.schema
    permit = call.permit
    state = Mutex(State(records: LocatedRecords(format, of: objectType, in: call.schema)))
  }

  /// The number of objects so far.
  var count: Int { state.withLock { $0.records.count } }

  /// The error that ``next()`` threw, if it did.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Returns operations for the next objects; nil at the end.
  func next() throws -> [GatehouseStorage.Operation]? {
    try state.withLock { state in
      do {
        return try operations(&state)
      } catch {
        state.failure = error
        throw error
      }
    }
  }

  private func operations(_ state: inout State) throws -> [GatehouseStorage.Operation]? {
    var operations: [GatehouseStorage.Operation] = []
    while operations.isEmpty, !state.isWhole {
      try read(into: &state) { index, record in
        let operation = try operation(
          record.value, at: Content.Place(pointer: "/\(index)", line: record.line))
        operations.append(try permit?.restricted(operation) ?? operation)
      }
    }
    return operations.isEmpty ? nil : operations
  }

  /// Reads a piece of the file, and calls `body` with the objects that end in it, and their indices.
  private func read(
    into state: inout State, _ body: (Int, (value: Value, line: Int)) throws -> Void
  ) throws {
    let piece = try spool.bytes(at: state.offset, count: SpooledObjects.pieceSize)
    state.offset += piece.count
    state.rest += piece
    state.isWhole = piece.isEmpty
    var rest = state.rest[...]
    while let record = try state.records.next(in: &rest, isWhole: state.isWhole) {
      try body(state.records.count - 1, record)
    }
    guard rest.count <= limit else { throw APIError.lineTooLong(state.records.line + 1, limit: limit) }
    state.rest = Array(rest)
  }

  private func operation(
    _ value: Value, at place: Content.Place
  ) throws(APIError) -> GatehouseStorage.Operation {
    let draft = try Content.locating(place) { () throws(ValidationError) in
      try objectType.draft(from: value, in: schema, mode: policy == .error ? .create : .update)
    }
    return .create(objectType: objectType.name, draft: draft, policy: policy)
  }

  /// Returns the error of an operation with its place. Reads the file again, rather than to remember the line of every object.
  func located(_ error: OperationError) -> WriteError {
    var place = Content.Place(pointer: "/\(error.operation)")
    guard let (value, line) = try? object(at: error.operation) else {
      return WriteError(reason: error.reason, place: place)
    }
    place.line = line
    return WriteError(error, of: try? operation(value, at: place), in: schema, at: place)
  }

  private func object(at index: Int) throws -> (value: Value, line: Int)? {
    var state = State(records: LocatedRecords(format, of: objectType, in: schema))
    var found: (value: Value, line: Int)?
    while found == nil, !state.isWhole {
      try read(into: &state) { if $0 == index { found = $1 } }
    }
    return found
  }
}
