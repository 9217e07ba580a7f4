extension ObjectType {
  /// An index over several properties, or over texts with their case folded: what one property's `indexed`
  /// can't say.
  public struct Index: Hashable, Sendable {
    /// One thing that objects are ordered by in an index.
    public struct Key: Hashable, Sendable {
      /// Position in the properties of the class.
      public let property: Int
      public let isAscending: Bool
      /// Whether texts that `[c]` takes for equal have one place.
      public let isFolded: Bool

      public init(property: Int, isAscending: Bool = true, isFolded: Bool = false) {
        self.property = property
        self.isAscending = isAscending
        self.isFolded = isFolded
      }
    }

    /// The first one counts most.
    public let keys: [Key]

    public init(_ keys: [Key]) {
      self.keys = keys
    }
  }

  /// How many indexes a class may have beside those of single properties, and how many keys each.
  static let mostIndexes = 32
  static let mostIndexKeys = 8

  /// The keys of an index as the notation spells them: `country`, `-population`, `name.@folded`.
  public func words(of index: Index) -> [String] {
    index.keys.map { key in
      "\(key.isAscending ? "" : "-")\(properties[key.property].name)\(key.isFolded ? Index.foldedSuffix : "")"
    }
  }

  /// The rules that the class' indexes break.
  func brokenIndexRules(in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    if indexes.count > Self.mostIndexes { rules.append(.tooManyIndexes(limit: Self.mostIndexes)) }
    for (position, index) in indexes.enumerated() {
      if indexes[..<position].contains(index) { rules.append(.indexRepeated(words(of: index))) }
      if index.keys.isEmpty { rules.append(.indexEmpty) }
      if index.keys.count > Self.mostIndexKeys { rules.append(.tooManyIndexKeys(limit: Self.mostIndexKeys)) }
      for (place, key) in index.keys.enumerated() {
        if index.keys[..<place].contains(where: { $0.property == key.property && $0.isFolded == key.isFolded }
        ) {
          rules.append(.indexKeyRepeated(properties[key.property].name))
        }
        if !isIndexable(key, alone: index.keys.count == 1, in: schema) {
          rules.append(.illegalIndexKey(properties[key.property].name))
        }
      }
    }
    return rules
  }

  /// Values of a collection are a table of their own, and so have an index of their own.
  private func isIndexable(_ key: Index.Key, alone: Bool, in schema: Schema) -> Bool {
    guard let (container, element, _) = properties[key.property].type.stored else { return false }
    if container != .one { return alone && key.isAscending && !key.isFolded && element.hasIndexOrder }
    if key.isFolded { return element == .string }
    if case .object(let target) = element { return schema[target]?.isEmbedded == false }
    return element.hasIndexOrder
  }
}

extension ObjectType.Index {
  static let foldedSuffix = ".@folded"
}

extension ElementType {
  /// Whether the order of values in an index is theirs. Data is no key, and mixed values have types as well.
  var hasIndexOrder: Bool {
    switch self {
    case .bool, .int, .float, .double, .decimal128, .string, .date, .objectID, .uuid: true
    case .data, .mixed, .object: false
    }
  }
}
