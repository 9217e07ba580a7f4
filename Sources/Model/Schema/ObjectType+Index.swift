extension ObjectType {
  /// An index over several properties, or over texts with their case folded: what one property's `indexed`
  /// can't say.
  public struct Index: Hashable, Sendable {
    /// The first one counts most.
    public let keys: [Key]

    public init(_ keys: [Key]) {
      self.keys = keys
    }

    /// The names that lead to the values of an index of documents, which has one key; empty: it is of properties.
    public var path: [ExactText] { keys.first?.path ?? [] }
  }

  /// How many indexes a class may have beside those of single properties, and how many keys each.
  static let mostIndexes = 32
  static let mostIndexKeys = 8

  /// The keys of an index as the notation spells them: `country`, `-population`, `name.@folded`; of documents, `user.name`.
  public func words(of index: Index) -> [String] {
    index.keys.map { key in
      if !key.path.isEmpty { return key.path.map(\.text).joined(separator: ".") }
      return
        "\(key.isAscending ? "" : "-")\(properties[key.property].name)\(key.isFolded ? Index.foldedSuffix : "")"
    }
  }

  /// The rules that the class' indexes break.
  func brokenIndexRules(in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    if indexes.count > Self.mostIndexes { rules.append(.tooManyIndexes(limit: Self.mostIndexes)) }
    for (position, index) in indexes.enumerated() {
      if indexes[..<position].contains(index) { rules.append(.indexRepeated(words(of: index))) }
      if isSchemaless {
        if !index.hasLegalPath { rules.append(.illegalIndexKey(words(of: index).joined())) }
        continue
      }
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
  /// One thing that objects are ordered by in an index.
  public struct Key: Hashable, Sendable {
    /// Position in the properties of the class.
    public let property: Int
    public let isAscending: Bool
    /// Whether texts that `[c]` takes for equal have one place.
    public let isFolded: Bool
    /// The names that lead from a document to the value; empty: the property's own value.
    public let path: [ExactText]

    public init(
      property: Int, isAscending: Bool = true, isFolded: Bool = false, path: [ExactText] = []
    ) {
      self.property = property
      self.isAscending = isAscending
      self.isFolded = isFolded
      self.path = path
    }
  }
}

extension ObjectType.Index {
  static let foldedSuffix = ".@folded"
  /// The most names of a path, and the most bytes of all of them.
  private static let mostNames = 16
  private static let mostBytes = 255

  /// Whether documents may have fields that the path leads to. `_id` has an index already.
  fileprivate var hasLegalPath: Bool {
    path.count <= Self.mostNames && path.reduce(0) { $0 + $1.text.utf8.count } <= Self.mostBytes
      && path.first?.text != ObjectType.documentIDName
      && path.allSatisfy { !$0.text.isEmpty && !$0.text.hasPrefix("$") && !$0.text.utf8.contains(0) }
  }
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
