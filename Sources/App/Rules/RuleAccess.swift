import GatehouseBSON

/// The rights that one role of a collection's rules gives its callers.
struct RuleAccess {
  /// The parts of a filter that all have to hold; empty: every document. Nil: none.
  private(set) var read: [String]?
  private(set) var write: [String]?
  /// The properties that are not read, or not written.
  private(set) var fields = Document()
  /// The permissions that are something else here than they say.
  private(set) var notes: [ConfigurationError] = []

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
    if write != nil, read == nil { try readWhatIsWritten(role, others, filters: filters, at: place) }
    if write != nil { try checkMaking(role, others, at: place) }
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

  /// In App Services who writes a document reads it, also where `read` is false; a filter on what is read holds for writers, too.
  private mutating func readWhatIsWritten(
    _ role: Document, _ others: Document, filters: Document, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) {
    if filters["read"] == .bool(false) {
      throw ConfigurationError(
        at: place + [.name("document_filters"), .name("read")],
        "who reads no documents cannot write them here")
    }
    if role["read"] == .bool(false) || role["read"] == nil && others["read"] == .bool(false) {
      let path: [JSONPlace.Step] = role["read"] == nil ? [.name("additional_fields")] : []
      notes.append(
        ConfigurationError(
          at: place + path + [.name("read")], "“read” is false, and the role reads what it may write"))
    }
    read = write
  }

  /// Writing is making and deleting, too: a role that may do only one of them writes nothing. Where the role does not say, who
  /// may write without a condition may.
  private mutating func checkMaking(
    _ role: Document, _ others: Document, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) {
    for name in ["insert", "delete"] {
      switch role[name] {
      case .bool(true)?: continue
      case nil where (role["write"] ?? others["write"]) == .bool(true): continue
      case nil, .bool(false)?:
        write = nil
        let text = role[name] == nil ? "is missing" : "cannot be taken from who may write"
        let path: [JSONPlace.Step] = role[name] == nil ? [] : [.name(name)]
        notes.append(ConfigurationError(at: place + path, "“\(name)” \(text): the role writes nothing"))
      case _?: throw ConfigurationError(at: place + [.name(name)], "“\(name)” is true or false")
      }
    }
  }

  /// Adds what a rule keeps back of a property. A permission that it does not give is none, but who writes a property reads it.
  private mutating func addField(_ name: String, _ rule: Document, at place: [JSONPlace.Step])
    throws(ConfigurationError)
  {
    for element in rule.elements {
      guard ["read", "write"].contains(element.key), case .bool = element.value else {
        throw ConfigurationError(
          at: place + [.name(element.key)], "a property is read and written, or it is not: true or false")
      }
    }
    let isWritten = rule["write"] == .bool(true)
    switch rule["read"] {
    case .bool(true)? where isWritten, nil where isWritten: break
    case .bool(true)?:
      if write != nil || rule["write"] != nil { fields.append(name, ["write": .bool(false)]) }
    case _?, nil:
      if isWritten {
        notes.append(
          ConfigurationError(
            at: place + [.name("read")], "“read” is false, and the property is not written either"))
      }
      fields.append(name, ["read": .bool(false), "write": .bool(false)])
    }
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
