import GatehouseBSON

/// The rights that one role of a collection's rules gives its callers.
struct RuleAccess {
  /// The parts of a filter that all have to hold; empty: every document. Nil: none.
  private(set) var read: [String]?
  private(set) var write: [String]?
  /// The properties that are not read, or not written.
  private(set) var fields = Document()

  init(
    _ role: Document, _ expressions: ExpressionConversion, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) {
    let others = try RuleAccess.members("additional_fields", in: role, at: place)
    let filters = try RuleAccess.members("document_filters", in: role, at: place)
    for (name, members) in [("additional_fields", others), ("document_filters", filters)] {
      try RuleConversion.check(members, at: place + [.name(name)], known: ["read", "write"])
    }
    let path = place + [.name("document_filters")]
    read = try RuleAccess.parts(
      expressions,
      [
        (role["read"] ?? others["read"] ?? .bool(false), place + [.name("read")]),
        (filters["read"] ?? .bool(true), path + [.name("read")]),
      ])
    write = try RuleAccess.parts(
      expressions,
      [
        (role["write"] ?? others["write"] ?? .bool(false), place + [.name("write")]),
        (filters["write"] ?? .bool(true), path + [.name("write")]),
      ])
    // Writing is making and deleting, too: one without the other cannot be said.
    for name in ["insert", "delete"] where write != nil {
      switch role[name] {
      case nil, .bool(true)?: break
      case .bool(false)?:
        throw ConfigurationError(at: place + [.name(name)], "“\(name)” cannot be taken from who may write")
      case _?: throw ConfigurationError(at: place + [.name(name)], "“\(name)” is true or false")
      }
    }
    // Who may write without being able to read writes nothing here.
    if write != nil, read == nil { read = write }
    for element in try RuleAccess.members("fields", in: role, at: place).elements {
      let inner = place + [.name("fields"), .name(element.key)]
      guard case .document(let rule) = element.value else {
        throw ConfigurationError(at: inner, "here an object should stand")
      }
      try addField(element.key, rule, at: inner)
      // Rights on a property alone, where there are none on the others.
      for name in ["read", "write"]
      where rule[name] == .bool(true) && (role[name] ?? others[name] ?? .bool(false)) == .bool(false) {
        throw ConfigurationError(
          at: inner + [.name(name)],
          "a property is not \(name == "read" ? "read" : "written") where the others are not")
      }
    }
    if others["read"] == .bool(false) && role["read"] == nil && !fields.elements.isEmpty {
      throw ConfigurationError(
        at: place + [.name("additional_fields")], "properties that are not named cannot be hidden")
    }
  }

  private mutating func addField(_ name: String, _ rule: Document, at place: [JSONPlace.Step])
    throws(ConfigurationError)
  {
    var said = Document()
    for element in rule.elements {
      switch (element.key, element.value) {
      case ("read", .bool(false)), ("write", .bool(false)): said.append(element.key, element.value)
      case ("read", .bool(true)), ("write", .bool(true)): break
      default:
        throw ConfigurationError(
          at: place + [.name(element.key)], "a property is read and written, or it is not: true or false")
      }
    }
    if !said.elements.isEmpty { fields.append(name, .document(said)) }
  }

  /// Takes from callers what the filters leave out. What they do not find they do not change either.
  mutating func narrow(by filters: RuleFilters) {
    read = read.map { $0 + filters.parts }
    write = write.map { $0 + filters.parts }
    if read != nil { fields = RuleConversion.merged(fields, filters.fields) }
  }

  /// Whether it gives at least what the other one does.
  func covers(_ other: RuleAccess) -> Bool {
    func covers(_ one: [String]?, _ other: [String]?) -> Bool {
      guard let other else { return true }
      return one.map { $0.isEmpty || $0 == other } ?? false
    }
    return covers(read, other.read) && covers(write, other.write)
      && RuleConversion.merged(other.fields, fields) == other.fields
  }

  private static func members(
    _ name: String, in role: Document, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> Document {
    switch role[name] {
    case nil, .null?: return [:]
    case .document(let document)?: return document
    case _?: throw ConfigurationError(at: place + [.name(name)], "here an object should stand")
    }
  }

  /// Returns the filters that are no constants; nil where one never holds.
  private static func parts(
    _ expressions: ExpressionConversion, _ values: [(Value, [JSONPlace.Step])]
  ) throws(ConfigurationError) -> [String]? {
    var parts: [String] = []
    for (value, place) in values {
      if value == .bool(false) { return nil }
      if let filter = try expressions.filter(value, .inner, at: place) { parts.append("(\(filter))") }
    }
    return parts
  }
}
