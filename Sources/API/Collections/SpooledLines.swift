import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Makes operations of the lines of a file, some at a time.
///
/// The store asks for them from its own thread: the state is behind a mutex, and only one asks at a time.
final class SpooledLines: Sendable {
  private struct State: ~Copyable {
    var json = JSONReader()
    /// The bytes that were read but not used yet.
    var rest: [UInt8] = []
    /// The offset of the next piece in the file.
    var offset = 0
    /// The number of the line that was read last, from 1.
    var line = 0
    var objects = 0
    var failure: (any Error)?
  }

  private static let pieceSize = 256 << 10

  private let spool: Spool
  private let objectType: ObjectType
  private let schema: Schema
  private let policy: GatehouseStorage.Operation.UpdatePolicy
  private let permit: Permit?
  /// The longest line.
  private let limit: Int
  private let state = Mutex(State())

  init(
    _ spool: Spool, of objectType: ObjectType, in schema: Schema,
    policy: GatehouseStorage.Operation.UpdatePolicy,
    limit: Int, permit: Permit?
  ) {
    self.permit = permit
    self.spool = spool
    self.objectType = objectType
    self.schema = schema
    self.policy = policy
    self.limit = limit
  }

  /// The number of objects so far.
  var count: Int { state.withLock { $0.objects } }

  /// The error that ``next()`` threw, if it did.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Returns operations for the next lines; nil at the end. Blank lines are skipped.
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
    while operations.isEmpty {
      let piece = try spool.bytes(at: state.offset, count: SpooledLines.pieceSize)
      state.offset += piece.count
      state.rest += piece
      if piece.isEmpty {
        guard !state.rest.isEmpty else { return nil }
        state.rest.append(UInt8(ascii: "\n"))
      }
      try take(from: &state, into: &operations)
      guard state.rest.count <= limit else { throw APIError.lineTooLong(state.line + 1, limit: limit) }
    }
    state.objects += operations.count
    return operations
  }

  /// Takes the whole lines of what was read.
  private func take(from state: inout State, into operations: inout [GatehouseStorage.Operation]) throws {
    var start = 0
    while let end = state.rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      state.line += 1
      let line = state.rest[start..<end]
      start = end + 1
      if line.isBlank { continue }
      let operation = try operation(line, at: state.objects + operations.count, &state)
      operations.append(try permit?.restricted(operation) ?? operation)
    }
    state.rest.removeSubrange(..<start)
  }

  private func operation(
    _ line: ArraySlice<UInt8>, at index: Int, _ state: inout State
  ) throws(APIError) -> GatehouseStorage.Operation {
    let value: Value
    do {
      value = try unsafe line.withUnsafeBufferPointer { (text) throws(JSONError) in
        try unsafe state.json.read(text)
      }
    } catch {
      throw .malformedContent(
        Content.SyntaxError(rule: .json(error.rule), offset: error.offset, line: state.line))
    }
    let draft = try Content.locating(Content.Place(pointer: "/\(index)", line: state.line)) {
      () throws(ValidationError) in
      try objectType.draft(from: value, in: schema, mode: policy == .error ? .create : .update)
    }
    return .create(objectType: objectType.name, draft: draft, policy: policy)
  }

  /// Returns the place of the object at `index`. Looks again, rather than to remember every blank line.
  func place(of index: Int) -> Content.Place {
    Content.Place(pointer: "/\(index)", line: try? line(of: index))
  }

  private func line(of index: Int) throws -> Int? {
    var (offset, line, objects) = (0, 1, 0)
    var isBlank = true
    while true {
      let piece = try spool.bytes(at: offset, count: SpooledLines.pieceSize)
      if piece.isEmpty { return nil }
      offset += piece.count
      for byte in piece {
        if byte == UInt8(ascii: "\n") {
          line += 1
          isBlank = true
        } else if isBlank, !byte.isBlank {
          isBlank = false
          if objects == index { return line }
          objects += 1
        }
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether there is only space in it.
  var isBlank: Bool { allSatisfy(\.isBlank) }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
