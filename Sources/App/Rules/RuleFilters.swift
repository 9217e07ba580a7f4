import GatehouseBSON

/// The `filters` of a collection's rules: conditions on the documents that are found, and fields that are left out of them.
struct RuleFilters {
  /// The parts of a filter that all have to hold.
  private(set) var parts: [String] = []
  /// The properties that are not read.
  private(set) var fields = Document()
  /// The conditions on callers that are not asked: the filters hold for everybody, which is less than before.
  private(set) var faults: [ConfigurationError] = []

  init() {}

  /// Throws `ConfigurationError` for a filter that cannot be said: without it, callers would read more.
  init(_ value: Value?, _ expressions: ExpressionConversion) throws(ConfigurationError) {
    let place: [JSONPlace.Step] = [.name("filters")]
    switch value {
    case nil, .null?: return
    case .array(let filters)?:
      for (index, filter) in filters.enumerated() {
        guard case .document(let filter) = filter else {
          throw ConfigurationError(at: place + [.index(index)], "a filter is an object")
        }
        try add(filter, expressions, at: place + [.index(index)])
      }
    case _?: throw ConfigurationError(at: place, "filters are an array")
    }
  }

  private mutating func add(
    _ filter: Document, _ expressions: ExpressionConversion, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) {
    try RuleConversion.check(
      filter, at: place, known: ["_id", "id", "name", "apply_when", "query", "projection"])
    switch filter["apply_when"] {
    case nil, .null?, .bool(true)?, .document([:])?, .document(["%%true": .bool(true)])?: break
    case _?:
      faults.append(
        ConfigurationError(
          at: place + [.name("apply_when")], "the condition is not asked: the filter holds for all users"))
    }
    if let query = filter["query"], query != .null {
      let part = try expressions.filter(query, .inner, at: place + [.name("query")])
      if let part { parts.append("(\(part))") }
    }
    guard let projection = filter["projection"], projection != .null else { return }
    let path = place + [.name("projection")]
    guard case .document(let members) = projection else {
      throw ConfigurationError(at: path, "a projection is an object")
    }
    for element in members.elements {
      switch element.value {
      case .bool(false), .int32(0), .int64(0), .double(0): break
      default:
        throw ConfigurationError(
          at: path + [.name(element.key)],
          "a projection can leave properties out, and not name those that stay")
      }
      guard !element.key.contains("."), !element.key.hasPrefix("$") else {
        throw ConfigurationError(at: path + [.name(element.key)], "a part of a property cannot be left out")
      }
      fields = RuleConversion.merged(
        fields, [element.key: .document(["read": .bool(false), "write": .bool(false)])])
    }
  }
}
