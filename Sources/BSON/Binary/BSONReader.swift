/// Reads BSON bytes into documents, one pass over each.
///
/// Keeps its memory from one document to the next. Everything that the specification lays down is checked,
/// but for the names in an array, which nobody needs; a repeated name is refused, since two readers could
/// take it differently.
public struct BSONReader: ~Copyable {
  let limits: Limits

  /// The bytes; dangling between two readings.
  var bytes: UnsafePointer<UInt8>
  var position = 0
  private var depth = 0

  private var elements = ScratchStack<Document.Element>(capacity: 16)
  private var keys = KeyCache()
  private var marks = ScratchStack<KeyMark>(capacity: 16)
  private var values = ScratchStack<Value>(capacity: 16)

  public init(limits: Limits = Limits()) {
    self.limits = limits
    bytes = UnsafePointer(UnsafeRawPointer(marks.items).assumingMemoryBound(to: UInt8.self))
  }

  /// The document that the bytes are, from the first to the last.
  public mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(BSONError) -> Document {
    guard bytes.count <= limits.size else { throw BSONError(.tooLarge, at: limits.size) }
    guard let base = bytes.baseAddress else { throw BSONError(.unexpectedEnd, at: 0) }
    begin(base, count: bytes.count)
    let document = try readDocument(before: bytes.count)
    guard position == bytes.count else { throw error(.trailingBytes) }
    precondition(
      depth == 0 && elements.count == 0 && marks.count == 0 && values.count == 0,
      "a document that was read leaves no parts of it behind")
    return document
  }

  /// The document that the bytes are, from the first to the last.
  public mutating func read(_ bytes: Span<UInt8>) throws(BSONError) -> Document {
    try bytes.withUnsafeBufferPointer { (bytes) throws(BSONError) in try read(bytes) }
  }

  private mutating func begin(_ base: UnsafePointer<UInt8>, count: Int) {
    (bytes, position, depth) = (base, 0, 0)
    // Remains of earlier bytes that were refused.
    elements.drop(from: 0)
    marks.drop(from: 0)
    values.drop(from: 0)
    keys.prepare(countOfBytes: count)
  }

  /// - Parameter end: where the bytes end that hold the document.
  mutating func readDocument(before end: Int) throws(BSONError) -> Document {
    let terminator = try enter(before: end)
    let first = elements.count
    while position < terminator {
      let type = try readType()
      let offset = position
      let name = try readCStringBytes(before: terminator)
      let key = try key(name, at: offset)
      elements.push(Document.Element(key: key, value: try readValue(type, before: terminator)))
    }
    precondition(position == terminator, "a value ends within what holds it")
    try refuseDuplicateKeys(from: first)
    try leave(terminator)
    return Document(elements.pop(from: first))
  }

  private mutating func key(_ name: UnsafeBufferPointer<UInt8>, at offset: Int) throws(BSONError) -> String {
    let mark = KeyMark(name, offset: offset)
    marks.push(mark)
    if let key = keys.key(mark, name) { return key }
    let key = try string(name)
    keys.insert(key, mark)
    return key
  }

  mutating func readArray(before end: Int) throws(BSONError) -> [Value] {
    let terminator = try enter(before: end)
    let first = values.count
    while position < terminator {
      let type = try readType()
      _ = try readCStringBytes(before: terminator)
      values.push(try readValue(type, before: terminator))
    }
    precondition(position == terminator, "a value ends within what holds it")
    try leave(terminator)
    return values.pop(from: first)
  }

  /// Reads a container's length, and says where its last byte is.
  private mutating func enter(before end: Int) throws(BSONError) -> Int {
    guard depth < limits.depth else { throw error(.tooDeep) }
    depth += 1
    let start = position
    let length = Int(try readInteger(Int32.self, before: end))
    guard length >= 5, length <= end - start else { throw BSONError(.malformedLength, at: start) }
    return start + length - 1
  }

  private mutating func leave(_ terminator: Int) throws(BSONError) {
    guard bytes[terminator] == 0 else { throw BSONError(.missingTerminator, at: terminator) }
    position = terminator + 1
    depth -= 1
  }

  private mutating func readType() throws(BSONError) -> BSONType {
    guard let type = BSONType(rawValue: bytes[position]) else { throw error(.unknownType) }
    position += 1
    return type
  }

  private mutating func refuseDuplicateKeys(from first: Int) throws(BSONError) {
    // Marks of inner documents are gone by now, so these are this document's.
    let firstMark = marks.count - (elements.count - first)
    defer { marks.drop(from: firstMark) }
    let duplicate = KeyMark.offsetOfDuplicate(in: marks, from: firstMark, keys: elements, from: first)
    if let duplicate { throw BSONError(.duplicateKey, at: duplicate) }
  }

  func error(_ rule: BSONError.Rule) -> BSONError {
    BSONError(rule, at: position)
  }
}
