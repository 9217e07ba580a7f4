import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage

// An answer as an idempotency record keeps it: {s: status, f: [name, value, name, value …], c: content}.
extension Response {
  /// The bytes of an answer that is not streamed.
  var stored: [UInt8] {
    var content: [UInt8] = []
    if case .bytes(let bytes) = body { content = bytes }
    let fields = fields.lines.flatMap { [Value.string($0.name), .string($0.value)] }
    let document: Document = [
      "s": .int32(Int32(status.rawValue)), "f": .array(fields), "c": .binary(Binary(bytes: content)),
    ]
    guard let bytes = try? document.bson() else { preconditionFailure("a name with a zero byte") }
    return bytes
  }

  /// Reads what ``stored`` made; nil where it is something else.
  init?(stored bytes: [UInt8]) {
    guard let document = try? Document(bson: bytes), case .int32(let number)? = document["s"],
      let status = UInt16(exactly: number),
      case .array(let parts)? = document["f"], case .binary(let content)? = document["c"]
    else { return nil }
    let texts = parts.compactMap { if case .string(let text) = $0 { text } else { nil } }
    self.init(
      status: .init(rawValue: status), body: content.bytes.isEmpty ? .empty : .bytes(content.bytes))
    for index in stride(from: 0, to: texts.count - 1, by: 2) {
      fields.append(Fields.Line(name: texts[index], value: texts[index + 1]))
    }
  }
}

extension Commit {
  /// Returns the commit. Throws ``StorageError/corrupt(_:)`` where it is that of a request that came again, and nobody can read the
  /// answer that was stored.
  func withReadableAnswer() throws(StorageError) -> Commit {
    if let repeated, Response(stored: repeated) == nil { throw .corrupt("a stored answer") }
    return self
  }
}
