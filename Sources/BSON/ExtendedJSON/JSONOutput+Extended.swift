/// The documents that Extended JSON writes for the types that JSON lacks, in their canonical form.
extension JSONOutput {
  @usableFromInline
  mutating func wrapped(_ opening: StaticString, _ value: some TextRepresentable) {
    literal(opening)
    needsComma = false
    quoted(value)
    bytes.append(0x7D)
  }

  @usableFromInline
  mutating func wrapped(_ opening: StaticString, _ text: String, closing: StaticString = "}") {
    literal(opening)
    needsComma = false
    string(text)
    append(closing)
  }

  @usableFromInline
  mutating func numberInteger(_ opening: StaticString, _ value: Int64) {
    literal(opening)
    bytes.append(0x22)
    bytes.appendDecimal(value)
    append("\"}")
  }

  @usableFromInline
  mutating func numberDouble(_ value: Double) {
    literal("{\"$numberDouble\":\"")
    if value.isFinite {
      bytes.appendShortest(value)
    } else {
      append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
    append("\"}")
  }

  /// Milliseconds if they say it all, otherwise RFC 3339 with all the digits.
  @usableFromInline
  mutating func date(_ value: Date) {
    guard let milliseconds = value.exactMilliseconds, value.nanoseconds % 1_000_000 == 0 else {
      return wrapped("{\"$date\":", value)
    }
    numberInteger("{\"$date\":{\"$numberLong\":", milliseconds)
    bytes.append(0x7D)
  }

  /// RFC 3339 for the years 1970 to 9999, as the specification wants it, otherwise as ``date(_:)``.
  mutating func relaxedDate(_ value: Date) {
    if 0..<253_402_300_800 ~= value.seconds { wrapped("{\"$date\":", value) } else { date(value) }
  }

  @usableFromInline
  mutating func binary(_ data: UnsafeBufferPointer<UInt8>, subtype: UInt8) {
    literal("{\"$binary\":{\"base64\":")
    needsComma = false
    base64(data)
    append(",\"subType\":\"")
    Hexadecimal.append(UInt64(subtype), count: 2, to: &bytes)
    append("\"}}")
  }

  @usableFromInline
  mutating func uuid(_ value: UUID) {
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) {
      binary($0.assumingMemoryBound(to: UInt8.self), subtype: 4)
    }
  }

  /// A value in canonical Extended JSON.
  @usableFromInline
  mutating func extended(_ value: Value) {
    switch value {
    case .null: literal("null")
    case .bool(let value): bool(value)
    case .int32(let number): numberInteger("{\"$numberInt\":", Int64(number))
    case .int64(let number): numberInteger("{\"$numberLong\":", number)
    case .double(let number): numberDouble(number)
    case .decimal128(let number): wrapped("{\"$numberDecimal\":", number)
    case .string(let text): string(text)
    case .binary(let value): value.bytes.withUnsafeBufferPointer { binary($0, subtype: value.subtype) }
    case .uuid(let uuid): self.uuid(uuid)
    case .objectID(let id): wrapped("{\"$oid\":", id)
    case .date(let date): self.date(date)
    case .document(let document): extended(document)
    case .array(let values):
      begin(0x5B)
      for value in values { extended(value) }
      end(0x5D)
    case .timestamp(let timestamp): self.timestamp(timestamp)
    case .regularExpression(let expression): regularExpression(expression)
    case .minKey: literal("{\"$minKey\":1}")
    case .maxKey: literal("{\"$maxKey\":1}")
    case .undefined: literal("{\"$undefined\":true}")
    case .symbol(let text): wrapped("{\"$symbol\":", text)
    case .javaScript(let code): wrapped("{\"$code\":", code)
    case .javaScriptWithScope(let code, let scope):
      self.code(code)
      extended(scope)
      append("}")
    case .dbPointer(let namespace, let id):
      wrapped("{\"$dbPointer\":{\"$ref\":", namespace, closing: ",\"$id\":")
      needsComma = false
      wrapped("{\"$oid\":", id)
      append("}}")
    }
  }

  private mutating func extended(_ document: Document) {
    begin(0x7B)
    for element in document.elements {
      key(element.key)
      extended(element.value)
    }
    end(0x7D)
  }

  /// Appends all of a code-with-scope wrapper but the scope's document and the closing brace.
  mutating func code(_ code: String) {
    wrapped("{\"$code\":", code, closing: ",\"$scope\":")
    needsComma = false
  }

  private mutating func timestamp(_ timestamp: Timestamp) {
    literal("{\"$timestamp\":{\"t\":")
    bytes.appendDecimal(Int64(timestamp.time))
    append(",\"i\":")
    bytes.appendDecimal(Int64(timestamp.increment))
    append("}}")
  }

  private mutating func regularExpression(_ expression: RegularExpression) {
    wrapped("{\"$regularExpression\":{\"pattern\":", expression.pattern, closing: ",\"options\":")
    needsComma = false
    string(expression.options)
    append("}}")
  }
}
