extension BSONWriter {
  public mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .int32(let number): int32(number)
    case .int64(let number): int64(number)
    case .double(let number): double(number)
    case .decimal128(let number): decimal128(number)
    case .string(let text): string(text)
    case .binary(let value): value.bytes.withUnsafeBufferPointer { binary($0, subtype: value.subtype) }
    case .uuid(let uuid): self.uuid(uuid)
    case .objectID(let id): objectID(id)
    case .date(let date): self.date(date)
    case .document(let document): self.document(document)
    case .array(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    case .timestamp(let timestamp): self.timestamp(timestamp)
    case .regularExpression(let expression): regularExpression(expression)
    case .minKey: type(.minKey)
    case .maxKey: type(.maxKey)
    case .undefined: type(.undefined)
    case .symbol(let symbol): text(symbol, as: .symbol)
    case .javaScript(let code): text(code, as: .javaScript)
    case .javaScriptWithScope(let code, let scope): javaScript(code, scope: scope)
    case .dbPointer(let namespace, let id):
      text(namespace, as: .dbPointer)
      append(id)
    }
  }

  /// Writes a document, which may be the whole of what is written.
  public mutating func document(_ document: Document) {
    beginDocument()
    for element in document.elements {
      key(element.key)
      value(element.value)
    }
    endDocument()
  }

  private mutating func int32(_ value: Int32) {
    type(.int32)
    bytes.appendLittleEndian(value)
  }

  /// Subtype 2 repeats the length inside of the data, as old drivers did.
  @usableFromInline
  mutating func binary(_ data: UnsafeBufferPointer<UInt8>, subtype: UInt8) {
    type(.binary)
    let start = bytes.count
    bytes.appendLittleEndian(0 as Int32)
    bytes.append(subtype)
    if subtype == 2 { bytes.appendLittleEndian(Int32(truncatingIfNeeded: data.count)) }
    bytes.append(data)
    writeLength(data.count + (subtype == 2 ? 4 : 0), at: start)
  }

  @usableFromInline
  mutating func append(_ id: ObjectID) {
    Swift.withUnsafeBytes(of: id.high.bigEndian) { bytes.append(contentsOf: $0) }
    Swift.withUnsafeBytes(of: id.low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func text(_ text: String, as type: BSONType) {
    self.type(type)
    append(text)
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { self.text($0) }
  }

  private mutating func timestamp(_ timestamp: Timestamp) {
    type(.timestamp)
    bytes.appendLittleEndian(timestamp.increment)
    bytes.appendLittleEndian(timestamp.time)
  }

  private mutating func regularExpression(_ expression: RegularExpression) {
    type(.regularExpression)
    for var part in [expression.pattern, expression.options] { part.withUTF8 { cString($0) } }
  }

  private mutating func javaScript(_ code: String, scope: Document) {
    type(.javaScriptWithScope)
    let start = bytes.count
    bytes.appendLittleEndian(0 as Int32)
    append(code)
    let outer = open
    // The scope has no name: it begins like a whole document.
    open = []
    document(scope)
    open = outer
    writeLength(bytes.count - start, at: start)
  }
}
