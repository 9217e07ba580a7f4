public import GatehouseBSON

extension Mixed {
  /// The value of a BSON value, or nil where no property can hold it. Numbers of 32 bits become ints.
  ///
  /// A document is a dictionary, also one with `$ref`: what that means takes a schema
  /// (``ObjectType/draft(from:in:mode:)``).
  public init?(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .int32(let int): self = .int(Int64(int))
    case .int64(let int): self = .int(int)
    case .double(let double): self = .double(double)
    case .decimal128(let decimal): self = .decimal128(decimal)
    case .string(let string): self = .string(string)
    case .binary(let binary): self = .data(binary.bytes)
    case .uuid(let uuid): self = .uuid(uuid)
    case .objectID(let id): self = .objectID(id)
    case .date(let date): self = .date(date)
    case .array(let values): self.init(values) { Mixed($0) }
    case .document(let document): self.init(document) { Mixed($0) }
    case .timestamp, .regularExpression, .minKey, .maxKey, .undefined, .symbol, .javaScript,
      .javaScriptWithScope, .dbPointer:
      return nil
    }
  }

  init?(_ values: [Value], each element: (Value) -> Mixed?) {
    var list: [Mixed] = []
    list.reserveCapacity(values.count)
    for value in values {
      guard let mixed = element(value) else { return nil }
      list.append(mixed)
    }
    self = .list(list)
  }

  /// Nil also where a key is there twice.
  init?(_ document: Document, each value: (Value) -> Mixed?) {
    var entries: [Entry] = []
    entries.reserveCapacity(document.elements.count)
    for element in document.elements {
      guard let mixed = value(element.value) else { return nil }
      entries.append(Entry(key: element.key, value: mixed))
    }
    entries.sort { $0.key.compareBytes($1.key) < 0 }
    for (left, right) in zip(entries, entries.dropFirst()) where left.key.compareBytes(right.key) == 0 {
      return nil
    }
    self = .dictionary(entries)
  }

  /// The BSON value. A float becomes a double; what a link becomes is the caller's to say, who knows the
  /// target's primary key: ``reference(to:id:)``.
  public func value(link: (ObjectLink) -> Value) -> Value {
    switch self {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .int(let int): .int64(int)
    case .float(let float): .double(Double(float))
    case .double(let double): .double(double)
    case .decimal128(let decimal): .decimal128(decimal)
    case .string(let string): .string(string)
    case .data(let bytes): .binary(Binary(bytes: bytes))
    case .date(let date): .date(date)
    case .objectID(let id): .objectID(id)
    case .uuid(let uuid): .uuid(uuid)
    case .link(let target): link(target)
    case .list(let list): .array(list.map { $0.value(link: link) })
    case .dictionary(let entries):
      entries.wrappedValue
        ?? .document(
          Document(entries.map { Document.Element(key: $0.key, value: $0.value.value(link: link)) }))
    }
  }

  /// `{"$ref": class, "$id": primary key}`.
  public static func reference(to objectType: String, id: Value) -> Value {
    .document(["$ref": .string(objectType), "$id": id])
  }
}
