import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Reads the records of an import and makes operations of them.
///
/// The store asks for them from its own thread: the state is behind a mutex, and only one asks at a time.
final class ImportSource: Sendable {
  /// An object that fits its class, and the record that it was made of.
  struct Item: Sendable {
    /// Its line, or of BSON its number.
    let number: Int
    let record: [UInt8]
    let draft: ObjectDraft
  }

  /// A record that is no object of the class, and why.
  struct Refused: Sendable {
    let number: Int
    let record: [UInt8]
    let reason: String
  }

  /// Records that follow each other.
  struct Piece: Sendable {
    var items: [Item] = []
    var refused: [Refused] = []
  }

  private struct State: ~Copyable {
    var file: RecordFile
    var reader: RecordReader
    var progress: ProgressDisplay
    /// The line, or the number, of each operation of the transaction at hand, in order.
    var numbers: [Int] = []
    var objects = 0
    /// The objects, and the last line, of the transactions that are committed.
    var committed = (objects: 0, number: 0)
    var failure: CommandError?
    /// The first record of a table.
    var header: [UInt8] = []
  }

  /// The most objects that the store is given at once.
  static let pieceSize = 1000

  let options: ImportOptions
  let objectType: ObjectType
  let schema: Schema
  let unit: RecordUnit
  private let state: Mutex<State>

  init(_ options: ImportOptions, of objectType: ObjectType, in schema: Schema) throws(CommandError) {
    self.options = options
    self.objectType = objectType
    self.schema = schema
    let file = try options.open()
    unit = file.unit
    state = Mutex(
      State(
        file: file,
        reader: RecordReader(options.format, of: objectType, in: schema, mapping: options.mapping),
        progress: ProgressDisplay(title: objectType.name)))
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
    while operations.count < count, let record = try state.file.next() {
      do {
        guard let draft = try draft(of: record, &state.reader) else { continue }
        operations.append(operation(draft))
      } catch {
        throw self.error(FailureText.of(error), at: state.file.number)
      }
      state.numbers.append(state.file.number)
    }
    noteProgress(operations.count, &state)
    return operations.isEmpty ? nil : operations
  }

  /// Returns what is next, of `count` records at most; nil at the end.
  ///
  /// Throws where the rest of the file cannot be told apart: it is no JSON array, or the header is wrong.
  func piece(_ count: Int) throws(CommandError) -> Piece? {
    try state.withLock { (state) throws(CommandError) in
      var piece = Piece()
      var isAtEnd = true
      while piece.items.count + piece.refused.count < count, let record = try state.file.next() {
        isAtEnd = false
        let isHeader = options.format == .csv && state.header.isEmpty
        if isHeader { state.header = Array(record) }
        let number = state.file.number
        do throws(RecordError) {
          guard let draft = try draft(of: record, &state.reader) else { continue }
          piece.items.append(Item(number: number, record: Array(record), draft: draft))
        } catch {
          let reason = FailureText.of(error)
          guard !isHeader, !error.isAboutFormat else { throw self.error(reason, at: number) }
          piece.refused.append(Refused(number: number, record: Array(record), reason: reason))
        }
      }
      noteProgress(piece.items.count, &state)
      return isAtEnd ? nil : piece
    }
  }

  /// The first record of a table, once it has been read.
  var header: [UInt8] { state.withLock { $0.header } }

  private func noteProgress(_ count: Int, _ state: inout State) {
    state.objects += count
    state.progress.update(objects: state.objects, fraction: state.file.fraction)
  }

  private func draft(
    of record: ArraySlice<UInt8>, _ reader: inout RecordReader
  ) throws(RecordError) -> ObjectDraft? {
    guard let value = try reader.value(of: record) else { return nil }
    do throws(ValidationError) {
      return try objectType.draft(
        from: value, in: schema, mode: options.policy == .error ? .create : .update)
    } catch {
      throw .invalid(error)
    }
  }

  func operation(_ draft: ObjectDraft) -> Operation {
    .create(objectType: objectType.name, draft: draft, policy: options.policy)
  }

  /// Returns the error of the record with that number.
  func error(_ reason: String, at number: Int) -> CommandError {
    .record(path: options.path, unit: unit, number: number, reason: reason)
  }

  /// Returns the words for the store's error with an object; a link that leads nowhere is named.
  func reason(_ error: StorageError, of draft: ObjectDraft?) -> String {
    guard case .linkTargetNotFound(let target, let key) = error,
      let pointer = draft?.pointer(toLink: target, key, of: objectType, in: schema)
    else { return FailureText.of(error) }
    return "\(pointer): \(FailureText.of(error))"
  }

  /// Notes that the operations so far have been committed, so that a new transaction begins.
  func commit() {
    state.withLock { state in
      precondition(state.objects >= state.committed.objects, "what is committed stays")
      state.committed = (state.objects, state.numbers.last ?? state.committed.number)
      state.numbers = []
    }
  }

  /// Returns the error of the import, by the store or by a record, with the part of it that is in the store
  /// nevertheless.
  func explained(_ error: any Error) -> any Error {
    let (objects, number) = state.withLock { $0.committed }
    return partly(failure ?? located(error), objects: objects, number: number)
  }

  /// Returns the error of an import that has committed objects: all up to that record; nil: some before the last may be
  /// missing.
  func partly(_ reason: any Error, objects: Int, number: Int?) -> any Error {
    guard objects > 0 else { return reason }
    return CommandError.partlyImported(
      reason: (reason as? StorageError).flatMap(ImportSource.reason) ?? FailureText.of(reason),
      objects: objects, unit: unit, number: number)
  }

  /// Returns the reason in place of an error's text that is about all that was to be written.
  private static func reason(_ error: StorageError) -> String? {
    if case .diskFull = error { "The disk is full." } else { nil }
  }

  /// The error that this source threw; nil if it threw none.
  private var failure: CommandError? { state.withLock { $0.failure } }

  /// Returns the store's error with the record that it is about.
  private func located(_ error: any Error) -> any Error {
    guard let error = error as? OperationError else { return error }
    // No record is at fault.
    if case .diskFull = error.reason { return error.reason }
    let numbers = state.withLock { $0.numbers }
    guard numbers.indices.contains(error.operation) else { return error.reason }
    let number = numbers[error.operation]
    return self.error(reason(error.reason, of: try? draft(at: number)), at: number)
  }

  /// Reads the object with that number again, rather than to keep those of a whole transaction; nil: from a pipe that cannot
  /// be done.
  private func draft(at number: Int) throws -> ObjectDraft? {
    guard options.path != "-" else { return nil }
    var file = try options.open()
    var reader = RecordReader(options.format, of: objectType, in: schema, mapping: options.mapping)
    while let record = try file.next() {
      let isHeader = options.format == .csv && file.number == 1
      if isHeader || file.number == number, let draft = try draft(of: record, &reader) { return draft }
    }
    return nil
  }

  /// Tells how many objects there were; nil: all that were read.
  func finish(objects: Int? = nil) {
    state.withLock { $0.progress.finish(objects: objects ?? $0.objects, verb: "imported") }
  }

  func abandon() {
    state.withLock { $0.progress.abandon() }
  }
}

extension RecordError {
  /// Whether more than one record is concerned: what follows cannot be told apart, or is of another format as well.
  fileprivate var isAboutFormat: Bool {
    switch self {
    case .foreign: true
    // The length of the document is none.
    case .bson(let error): error.offset < 4
    case .csv(let error): error.rule == .unterminatedQuote
    case .json, .invalid: false
    }
  }
}
