import GatehouseBSON

extension InputReader {
  /// A link to an object of the class, or, where the class is embedded, the object itself.
  mutating func object(_ value: Value, of name: String, depth: Int) -> DraftValue? {
    guard let target = schema[name] else {
      report(.unknownClass(name))
      return nil
    }
    if target.isEmbedded { return embedded(value, of: target, depth: depth) }
    guard case .document(let document) = value else {
      return primaryKey(value, of: target).map { .link(objectType: name, primaryKey: $0) }
    }
    guard document.isReference else {
      report(.inlineObject(name))
      return nil
    }
    return reference(document, expected: name)
  }

  private mutating func embedded(_ value: Value, of target: ObjectType, depth: Int) -> DraftValue? {
    guard case .document(let document) = value else {
      report(.wrongType(expected: .one(.object(target.name), optional: true), found: ValueKind(value)))
      return nil
    }
    guard let depth = deeper(depth) else { return nil }
    var draft = draft(document, of: target, depth: depth)
    complete(&draft, of: target)
    return .embedded(draft)
  }

  /// The level below, or nil and a problem.
  mutating func deeper(_ depth: Int) -> Int? {
    precondition(depth >= 0 && depth <= Self.deepest, "nesting is counted, and bounded")
    if depth < Self.deepest { return depth + 1 }
    report(.tooDeep(limit: Self.deepest))
    return nil
  }

  /// Reads the identifier of an object of that class: its primary key, or `_key` as an int.
  mutating func primaryKey(_ value: Value, of target: ObjectType) -> Mixed? {
    guard let index = target.primaryKeyIndex,
      case .one(let type, let optional) = target.properties[index].type
    else { return objectKey(value, isRepeated: false).map { .int($0.value) } }
    if type == .mixed { return documentIdentifier(value) }
    if optional, case .null = value { return .null }
    return scalar(value, as: type)
  }

  /// A link spelt `{"$ref": class, "$id": primary key}`; where a class is expected, to that one only.
  mutating func reference(_ document: Document, expected: String?) -> DraftValue? {
    guard document.elements.count == 2, case .string(let name) = document["$ref"], let id = document["$id"]
    else {
      report(.malformedReference)
      return nil
    }
    if let expected, expected != name {
      report(.wrongReference(expected: expected))
      return nil
    }
    guard let target = schema[name], !target.isEmbedded else {
      report(schema[name] == nil ? .unknownClass(name) : .embeddedReference(name))
      return nil
    }
    if target.isAsymmetric {
      report(.asymmetricReference(name))
      return nil
    }
    let mark = problems.count
    let key = primaryKey(id, of: target)
    locate(from: mark, "$id")
    return key.map { .link(objectType: name, primaryKey: $0) }
  }

  /// A value of a mixed property: of any type that Realm's Mixed has, or of any at all.
  mutating func mixed(_ value: Value, depth: Int) -> DraftValue? {
    switch value {
    case .null: return .value(.null)
    case .bool(let bool): return .value(.bool(bool))
    case .int32(let int): return .value(.int(Int64(int)))
    case .int64(let int): return .value(.int(int))
    case .double(let double): return .value(.double(double))
    case .decimal128(let decimal): return .value(.decimal128(decimal))
    case .string(let string): return .value(.string(string))
    case .binary(let binary):
      if takesAllTypes { return Mixed(ofDocument: value).map { .value($0) } }
      // Realm's data are bytes alone: what a subtype says would be lost, and two values be one.
      if binary.subtype != 0 { report(.unsupportedSubtype(binary.subtype)) }
      return .value(.data(binary.bytes))
    case .uuid(let uuid): return .value(.uuid(uuid))
    case .objectID(let id): return .value(.objectID(id))
    case .date(let date): return .value(.date(date))
    case .array(let values):
      guard let depth = deeper(depth) else { return nil }
      return self.value(.array(values), as: .list(.mixed, optional: true), depth: depth)
    case .document(let document):
      if document.isReference { return reference(document, expected: nil) }
      guard let depth = deeper(depth) else { return nil }
      return self.value(value, as: .map(.mixed, optional: true), depth: depth)
    case .timestamp, .regularExpression, .minKey, .maxKey, .undefined, .symbol, .javaScript,
      .javaScriptWithScope, .dbPointer:
      if takesAllTypes { return Mixed(ofDocument: value).map { .value($0) } }
      report(.unsupportedType(found: ValueKind(value)))
      return nil
    }
  }
}

extension Document {
  /// Whether it means a link: a map can't have such a key.
  var isReference: Bool {
    elements.contains { $0.key == "$ref" }
  }
}
