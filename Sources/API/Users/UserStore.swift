import GatehouseBSON
import GatehouseStorage

/// Reads and changes the records of users; the clock stamps them.
struct UserStore: Sendable {
  let store: Store
  let clock: @Sendable () -> Date

  func read<Result: Sendable>(
    _ body: @escaping @Sendable (UserRecords) throws -> Result
  ) async throws -> Result {
    try await store.read { try body(UserRecords(reader: $0)) }
  }

  /// Changes records, anew until nothing came in between.
  func change<Result: Sendable>(
    _ body: @escaping @Sendable (UserRecords) throws -> (changes: [RecordChange], result: Result)
  ) async throws -> Result {
    while true {
      let (changes, result) = try await read(body)
      if changes.isEmpty { return result }
      if try await store.keep(changes) { return result }
    }
  }
}

extension RecordChange {
  /// The record is removed.
  init(removing name: Record.Name) {
    self.init(name, nil as [UInt8]?)
  }

  /// The record stays as it is, where it is that document.
  init(keeping name: Record.Name, _ document: Document) throws(StorageError) {
    try self.init(name, document, expecting: .some(document))
  }

  /// The record becomes the document.
  init(
    _ name: Record.Name, _ document: Document, expecting expected: Document?? = .none
  ) throws(StorageError) {
    let expectation: Expectation =
      switch expected {
      case .none: .anything
      case .some(nil): .absent
      case .some(let document?): .value(try RecordChange.bytes(document))
      }
    self.init(name, try RecordChange.bytes(document), expecting: expectation)
  }

  private static func bytes(_ document: Document) throws(StorageError) -> [UInt8] {
    do throws(BSONError) { return try document.bson() } catch { throw .tooLarge }
  }
}
