import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Writes pages of one shape: the same SQL text and the same projection, with other values bound each time.
final class PageReader {
  /// How the objects of the rows are written.
  enum Content {
    /// From the columns of the rows.
    case rows(RowReader)
    /// From the columns of the rows, as one array of JSON; the cache takes what it does not have.
    case kept(RowReader, CachedObjectReader, table: Int)
    /// From the cache, by their keys, as one array of JSON: so the statement reads no more than its index where it can.
    case cached(CachedObjectReader, table: Int)

    /// The columns that the statement selects before the terms that it orders by; the object key comes first.
    var columns: String {
      switch self {
      case .rows(let reader): reader.pageColumns
      case .kept(let reader, _, _): reader.columns
      case .cached: "t._key"
      }
    }

    fileprivate var columnCount: Int32 {
      switch self {
      case .rows(let reader), .kept(let reader, _, _): reader.columnCount
      case .cached: 1
      }
    }

    static func rows(_ reader: RowReader, keptBy source: CachedObjectReader?, _ table: Int) -> Content {
      source.map { .kept(reader, $0, table: table) } ?? .rows(reader)
    }

    var identity: ObjectIdentifier {
      switch self {
      case .rows(let reader), .kept(let reader, _, _): ObjectIdentifier(reader)
      case .cached(let source, _): ObjectIdentifier(source)
      }
    }
  }

  /// An object of the page, for the cache.
  private struct Written {
    let key: Int64
    let version: Int64
    let place: Range<Int>
  }

  private let content: Content
  private let statement: Statement
  private let session: ReadSession
  private var written: [Written] = []
  private var keys: [Int64] = []
  /// How many bytes the last page took: the next one will take about as many.
  private var length = 0

  init(_ sql: String, content: Content, in session: ReadSession) throws(StorageError) {
    self.content = content
    self.session = session
    statement = try session.prepare(sql)
  }

  /// Appends the page and says where the next one begins.
  func write(
    _ sql: SQLText, size: Int?, as representation: Representation, framing: Reader.Framing, atMost room: Int,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Reader.Page {
    let start = bytes.count
    bytes.reserveCapacity(start + length)
    sql.bind(to: statement)
    defer {
      statement.reset()
      length = bytes.count - start
    }
    switch content {
    case .cached(let source, let table):
      return try writeArray(from: source, table, size: size, atMost: room, into: &bytes)
    case .kept(let reader, let source, let table):
      return try writeArray(with: reader, keptBy: source, table, size: size, atMost: room, into: &bytes)
    case .rows(let reader) where representation == .json && framing == .array:
      return try writeArray(with: reader, size: size, atMost: room, into: &bytes)
    case .rows(let reader):
      return try write(with: reader, size: size, as: representation, framing, atMost: room, into: &bytes)
    }
  }

  /// Appends the objects of a page one behind the other, and says where each ends and what its place in the order is.
  func writePlaced(
    _ sql: SQLText, size: Int?, as representation: Representation, atMost room: Int, into bytes: inout [UInt8]
  ) throws(StorageError) -> PartialReader.Page {
    guard case .rows(let reader) = content else { preconditionFailure("objects are read from their rows") }
    let start = bytes.count
    sql.bind(to: statement)
    defer { statement.reset() }
    var objects: [PartialReader.Page.Object] = []
    var output = OutputWork(session, from: start)
    while try session.step(statement) {
      // One more than the page holds was asked for, to know whether there is a next one.
      if objects.count == size || bytes.count - start >= room {
        return PartialReader.Page(objects: objects, isLast: false)
      }
      try reader.write(statement, as: representation, into: &bytes)
      try output.note(bytes.count)
      objects.append(PartialReader.Page.Object(end: bytes.count, place: try cursor()))
    }
    return PartialReader.Page(objects: objects, isLast: true)
  }

  private func write(
    with reader: RowReader, size: Int?, as representation: Representation, _ framing: Reader.Framing,
    atMost room: Int, into bytes: inout [UInt8]
  ) throws(StorageError) -> Reader.Page {
    let start = bytes.count
    var count = 0
    var next: Cursor?
    var output = OutputWork(session, from: start)
    if framing == .array { bytes.append(UInt8(ascii: "[")) }
    while try session.step(statement) {
      // One more than the page holds was asked for, to know whether there is a next one.
      if count == size { return finish(Reader.Page(count: count, next: next), framing: framing, in: &bytes) }
      if framing == .array, count > 0 { bytes.append(UInt8(ascii: ",")) }
      try reader.write(statement, as: representation, into: &bytes)
      if framing == .sequence, representation != .bson { bytes.append(UInt8(ascii: "\n")) }
      count += 1
      try output.note(bytes.count)
      if count == size { next = try cursor() }
      if next == nil, bytes.count - start >= room {
        return finish(Reader.Page(count: count, next: try cursor()), framing: framing, in: &bytes)
      }
    }
    return finish(Reader.Page(count: count, next: nil), framing: framing, in: &bytes)
  }

  private func writeArray(
    from source: CachedObjectReader, _ table: Int, size: Int?, atMost room: Int, into bytes: inout [UInt8]
  ) throws(StorageError) -> Reader.Page {
    keys.removeAll(keepingCapacity: true)
    var last: Cursor?
    var next: Cursor?
    while try session.step(statement) {
      if keys.count == size {
        next = last
        break
      }
      keys.append(statement.int64(at: 0))
      if keys.count == size { last = try cursor() }
    }
    let count = try source.appendArray(table, keys: keys, atMost: room, to: &bytes)
    if count < keys.count { next = try cursor(ofRow: count) }
    return Reader.Page(count: count, next: next)
  }

  private func writeArray(
    with reader: RowReader, keptBy source: CachedObjectReader, _ table: Int, size: Int?, atMost room: Int,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Reader.Page {
    written.removeAll(keepingCapacity: true)
    let page = try writeArray(with: reader, size: size, atMost: room, into: &bytes) { place in
      written.append(
        Written(key: statement.int64(at: 0), version: statement.int64(at: 1), place: place))
    }
    for object in written {
      source.take(table, key: object.key, version: object.version, bytes[object.place])
    }
    return page
  }

  /// All rows by one writer, which is what most requests ask for. Tells where in the bytes each object is.
  @inline(__always)
  private func writeArray(
    with reader: RowReader, size: Int?, atMost room: Int, into bytes: inout [UInt8],
    note: (Range<Int>) -> Void = { _ in }
  ) throws(StorageError) -> Reader.Page {
    let first = bytes.count
    var output = OutputWork(session, from: first)
    var writer = PlainJSONWriter(appendingTo: bytes)
    bytes = []
    // A failure hands back the bytes as they were given.
    defer { bytes = writer.finish() }
    var count = 0
    var last: Cursor?
    writer.beginArray()
    while try session.step(statement) {
      if count == size {
        writer.endArray()
        return Reader.Page(count: count, next: last)
      }
      let start = writer.place
      try reader.write(statement, to: &writer)
      if let start, let next = writer.place { note(start..<next - 1) }
      count += 1
      try output.note(writer.count)
      if count == size {
        last = try cursor()
      } else if writer.count - first >= room {
        writer.endArray()
        return Reader.Page(count: count, next: try cursor())
      }
    }
    writer.endArray()
    return Reader.Page(count: count, next: nil)
  }

  /// Appends what ends a page.
  private func finish(_ page: Reader.Page, framing: Reader.Framing, in bytes: inout [UInt8]) -> Reader.Page {
    if framing == .array { bytes.append(UInt8(ascii: "]")) }
    return page
  }

  /// The place of the row of that number, from 1, of a statement that has gone further.
  private func cursor(ofRow number: Int) throws(StorageError) -> Cursor? {
    statement.reset()
    for _ in 0..<number { guard try session.step(statement) else { return nil } }
    return try cursor()
  }

  /// The place of the row that the statement stands on.
  private func cursor() throws(StorageError) -> Cursor {
    var values: [Mixed] = []
    for column in content.columnCount..<statement.columnCount {
      values.append(statement.rawValue(at: column))
    }
    return Cursor(values: values, key: ObjectKey(statement.int64(at: 0)))
  }
}
