import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Writes one object found by its key: an embedded object, or the target of a link that is followed.
final class ObjectReader {
  /// The bytes of an answer beyond which no more links are followed: a few levels of links may lead to the same objects any
  /// number of times. A page ends at a quarter of it.
  static let answerLimit = 64 << 20

  private let table: TableLayout
  private let projection: Projection
  private let session: ReadSession
  private let restricted: Set<String>
  /// Where in the bytes of the answer objects stand that were written: a page shows some of them again and again.
  private var written: [Int64: Range<Int>] = [:]
  private var answer = 0
  private var prepared: (reader: RowReader, statement: Statement)?

  /// `restricted` are the classes of which not all objects may be seen.
  init(
    _ table: TableLayout, projection: Projection, in session: ReadSession, restricted: Set<String> = []
  ) {
    self.restricted = restricted
    self.table = table
    self.projection = projection
    self.session = session
  }

  /// The object by itself.
  func bytes(of key: Int64, as representation: Representation) throws(StorageError) -> [UInt8] {
    let (reader, statement) = try prepare()
    statement.bind(key, at: 1)
    defer { statement.reset() }
    var bytes: [UInt8] = []
    if try session.step(statement) { try reader.write(statement, as: representation, into: &bytes) }
    return bytes
  }

  /// Appends the object as plain JSON and returns its version; nil where there is none.
  func append(_ key: Int64, to bytes: inout [UInt8]) throws(StorageError) -> Int64? {
    let (reader, statement) = try prepare()
    statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    let version = statement.int64(at: 1)
    try reader.write(statement, as: .json, into: &bytes)
    return version
  }

  /// Writes the object, or null where there is none.
  func write<Writer: ValueWriter>(_ key: Int64, to writer: inout Writer) throws(StorageError) {
    guard writer.count <= Self.answerLimit else { throw .answerTooLarge(limit: Self.answerLimit) }
    // An embedded object has one parent, and so is written once.
    if table.objectType.isEmbedded {
      return try session.enterEmbedded { () throws(StorageError) in try read(key, to: &writer) }
    }
    guard session.observer == nil, let start = writer.place else { return try read(key, to: &writer) }
    if answer != session.answer { (answer, written) = (session.answer, [:]) }
    if let range = written[key] {
      try session.countParts(ofBytes: range.count)
      return writer.repeatValue(at: range)
    }
    try read(key, to: &writer)
    // A comma would come before the next value.
    guard let next = writer.place else { return }
    precondition(next - 1 > start, "what was written has bytes, behind those before it")
    written[key] = start..<(next - 1)
  }

  private func read<Writer: ValueWriter>(_ key: Int64, to writer: inout Writer) throws(StorageError) {
    try session.countPart()
    let (reader, statement) = try prepare()
    statement.bind(key, at: 1)
    defer { statement.reset() }
    if try session.step(statement) {
      try reader.write(statement, to: &writer)
    } else {
      writer.null()
    }
  }

  private func prepare() throws(StorageError) -> (reader: RowReader, statement: Statement) {
    if let prepared { return prepared }
    let reader = try RowReader(projection, of: table, in: session, restricted: restricted)
    let statement = try session.prepare(RowStatements.objectByKey(reader.columns, in: table))
    prepared = (reader, statement)
    return (reader, statement)
  }
}
