/// Reads JSON texts into values, one pass over the bytes of each.
///
/// Keeps its memory from one text to the next, so whoever reads many (the lines of an import) keeps the
/// reader. Every text is refused at the first byte that breaks a rule of RFC 8259, repeats a key or exceeds
/// a limit.
///
/// A number without point and exponent becomes `int32` if it fits, otherwise `int64` if that fits, which is
/// what pymongo's `json_util` makes of it; any other number becomes a `double`.
public struct JSONReader: ~Copyable {
  let dialect: JSONDialect
  let limits: Limits

  /// The text; dangling between two readings.
  var bytes: UnsafePointer<UInt8>
  var end = 0
  var position = 0
  private var depth = 0

  private var elements = ScratchStack<Document.Element>(capacity: 16)
  private var keys = KeyCache()
  private var marks = ScratchStack<KeyMark>(capacity: 16)
  private var values = ScratchStack<Value>(capacity: 16)
  /// The bytes of a string that has escapes.
  var unescaped = ScratchStack<UInt8>(capacity: 64)

  public init(as dialect: JSONDialect = .extended, limits: Limits = Limits()) {
    self.dialect = dialect
    self.limits = limits
    bytes = UnsafePointer(unescaped.items)
  }

  /// The value of a text that holds one value and nothing else but white space.
  public mutating func read(_ text: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Value {
    guard text.count <= limits.size else { throw JSONError(.tooLarge, at: limits.size) }
    guard let base = text.baseAddress else { throw JSONError(.unexpectedEnd, at: 0) }
    begin(base, count: text.count)
    try refuseByteOrderMark()
    skipSpace()
    let value = try readValue()
    skipSpace()
    guard position == end else { throw error(.trailingBytes) }
    precondition(
      depth == 0 && elements.count == 0 && marks.count == 0 && values.count == 0,
      "a text that was read leaves no parts of its value behind")
    return value
  }

  /// The value of a text that holds one value and nothing else but white space.
  public mutating func read(_ text: Span<UInt8>) throws(JSONError) -> Value {
    try text.withUnsafeBufferPointer { (text) throws(JSONError) in try read(text) }
  }

  private mutating func begin(_ base: UnsafePointer<UInt8>, count: Int) {
    (bytes, end, position, depth) = (base, count, 0, 0)
    // Remains of an earlier text that was refused.
    elements.drop(from: 0)
    marks.drop(from: 0)
    values.drop(from: 0)
    keys.prepare(countOfBytes: count)
  }

  private func refuseByteOrderMark() throws(JSONError) {
    if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw JSONError(.byteOrderMark, at: 0)
    }
  }

  private mutating func readValue() throws(JSONError) -> Value {
    guard position < end else { throw error(.unexpectedEnd) }
    switch bytes[position] {
    case 0x22: return .string(try readString())
    case 0x7B: return try readDocument()
    case 0x5B: return try readArray()
    case 0x2D, 0x30...0x39: return try readNumber()
    case 0x74: return try readWord("true", .bool(true))
    case 0x66: return try readWord("false", .bool(false))
    case 0x6E: return try readWord("null", .null)
    default: throw error(.expectedValue)
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: Value) throws(JSONError) -> Value {
    for index in 0..<word.utf8CodeUnitCount {
      guard position + index < end else { throw JSONError(.unexpectedEnd, at: end) }
      guard bytes[position + index] == word.utf8Start[index] else { throw error(.expectedValue) }
    }
    position += word.utf8CodeUnitCount
    return value
  }

  private mutating func readArray() throws(JSONError) -> Value {
    try enter()
    let first = values.count
    if next == 0x5D {
      position += 1
    } else {
      repeat {
        skipSpace()
        values.push(try readValue())
      } while try readComma(before: 0x5D)
    }
    depth -= 1
    return .array(values.pop(from: first))
  }

  private mutating func readDocument() throws(JSONError) -> Value {
    let start = position
    try enter()
    let first = elements.count
    var isWrapper = false
    if next == 0x7D {
      position += 1
    } else {
      isWrapper = dialect == .extended && position + 1 < end && bytes[position + 1] == 0x24
      repeat { try readElement() } while try readComma(before: 0x7D)
    }
    depth -= 1
    try refuseDuplicateKeys(from: first)
    let document = Document(elements.pop(from: first))
    guard isWrapper, let wrapper = ExtendedJSONType(of: document) else { return .document(document) }
    guard let value = wrapper.value(of: document) else {
      throw JSONError(.malformedExtendedJSON, at: start)
    }
    return value
  }

  private mutating func readElement() throws(JSONError) {
    skipSpace()
    guard position < end else { throw error(.unexpectedEnd) }
    guard bytes[position] == 0x22 else { throw error(.expectedKey) }
    let key = try readKey()
    skipSpace()
    guard position < end else { throw error(.unexpectedEnd) }
    guard bytes[position] == 0x3A else { throw error(.expectedColon) }
    position += 1
    skipSpace()
    elements.push(Document.Element(key: key, value: try readValue()))
  }

  private mutating func readKey() throws(JSONError) -> String {
    let offset = position
    let extent = try readExtentOfString()
    let mark = KeyMark(extent.bytes, offset: offset)
    marks.push(mark)
    if let key = keys.key(mark, extent.bytes) { return key }
    let key = try string(extent)
    keys.insert(key, mark)
    return key
  }

  private mutating func refuseDuplicateKeys(from first: Int) throws(JSONError) {
    // marks of inner documents are gone by now, so these are this document's.
    let firstMark = marks.count - (elements.count - first)
    defer { marks.drop(from: firstMark) }
    let duplicate = KeyMark.offsetOfDuplicate(
      in: marks, from: firstMark, keys: elements, from: first)
    if let duplicate { throw JSONError(.duplicateKey, at: duplicate) }
  }

  /// Steps into a document or an array, to its first byte that is not white space.
  private mutating func enter() throws(JSONError) {
    guard depth < limits.depth else { throw error(.tooDeep) }
    depth += 1
    position += 1
    skipSpace()
  }

  /// Whether a comma follows; the closing bracket otherwise.
  @inline(__always)
  private mutating func readComma(before bracket: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    guard position < end else { throw error(.unexpectedEnd) }
    let byte = bytes[position]
    guard byte == 0x2C || byte == bracket else { throw error(.expectedCommaOrEnd) }
    position += 1
    return byte == 0x2C
  }

  var next: UInt8? {
    @inline(__always) get { position < end ? bytes[position] : nil }
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < end, bytes[position] <= 0x20 {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  func error(_ rule: JSONError.Rule) -> JSONError {
    JSONError(rule, at: position)
  }
}
