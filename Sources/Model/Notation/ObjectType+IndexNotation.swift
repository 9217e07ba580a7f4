import GatehouseBSON

extension ObjectType {
  /// The indexes in the notation of which they are read.
  var indexNotation: Value {
    if isSchemaless { return .array(indexes.map { .string(words(of: $0).joined()) }) }
    return .array(
      indexes.map { index in
        .document(["properties": .array(words(of: index).map { .string($0) })])
      })
  }
}

extension ObjectType.Index.Key {
  /// Nil where there is no such property.
  fileprivate init?(_ word: String, of properties: [Property]) {
    let isDescending = word.utf8.first == UInt8(ascii: "-")
    var name = isDescending ? word.dropFirst() : word[...]
    let isFolded = name.hasSuffix(ObjectType.Index.foldedSuffix)
    if isFolded { name = name.dropLast(ObjectType.Index.foldedSuffix.count) }
    guard let property = properties.firstIndex(where: { $0.name.compareBytes(String(name)) == 0 }) else {
      return nil
    }
    self.init(property: property, isAscending: !isDescending, isFolded: isFolded)
  }
}

extension [ObjectType.Index.Key] {
  /// Nil where no properties are given.
  fileprivate init?(from members: inout NotationMembers, of properties: [Property]) {
    guard let value = members.value("properties") else {
      members.report(.memberMissing("properties"))
      return nil
    }
    guard case .array(let words) = value else {
      members.report(.memberOfWrongType("properties"))
      return nil
    }
    self = []
    for word in words {
      guard case .string(let word) = word else {
        members.report(.memberOfWrongType("properties"))
        continue
      }
      let key = ObjectType.Index.Key(word, of: properties)
      if let key { append(key) } else { members.report(.unknownIndexedProperty(word)) }
    }
  }
}

extension [ObjectType.Index] {
  /// Reads `[{"properties": ["country", "-population"]}, …]`, adding what is wrong to `problems`.
  init(
    notation: Value?, of properties: [Property], objectType: String, problems: inout [SchemaProblem]
  ) {
    self = []
    guard let notation else { return }
    guard case .array(let elements) = notation else {
      problems.append(SchemaProblem(objectType: objectType, .memberOfWrongType("indexes")))
      return
    }
    for element in elements {
      guard case .document(let document) = element else {
        problems.append(SchemaProblem(objectType: objectType, .memberOfWrongType("indexes")))
        continue
      }
      var members = NotationMembers(document, of: objectType, known: ["properties"])
      let keys = [ObjectType.Index.Key](from: &members, of: properties)
      problems += members.problems
      if let keys { append(ObjectType.Index(keys)) }
    }
  }

  /// Reads the paths to fields that a schemaless class has indexes of: `["level", "user.name"]`.
  init(fieldsFrom members: inout NotationMembers) {
    self = []
    switch members.value("indexes") {
    case nil: break
    case .array(let elements)?:
      for element in elements {
        if case .string(let path) = element {
          append(.field(path))
        } else {
          members.report(.memberOfWrongType("indexes"))
        }
      }
    case _?: members.report(.memberOfWrongType("indexes"))
    }
  }
}
