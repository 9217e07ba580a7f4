import GatehouseBSON

/// Makes rights of our roles of the rules of a collection, as App Services has them: the first of its roles that applies to a caller
/// and a document decides.
struct RuleConversion {
  /// A role that whoever App Services gave it by a condition on the user has to be given.
  struct NamedRole {
    let name: String
    let rights: Document
    /// The line of its condition leads there.
    let place: [JSONPlace.Step]
  }

  /// The rights of users who have no role of their own; nil: none.
  private(set) var rights: Document?
  private(set) var named: [NamedRole] = []
  private(set) var faults: [ConfigurationError] = []

  private var reads: [String] = []
  private var writes: [String] = []
  private var hidden = Document()
  /// The conditions of the roles that come before.
  private var earlier: [String] = []

  init(_ rules: Document) {
    guard case .array(let roles)? = rules["roles"] else { return }
    if case .array(let filters)? = rules["filters"], !filters.isEmpty {
      fail([.name("filters")], "filters are left out: a role's “read” decides what is found")
    }
    for (index, role) in roles.enumerated() {
      let place: [JSONPlace.Step] = [.name("roles"), .index(index)]
      guard case .document(let role) = role else {
        fail(place, "a role is an object")
        break
      }
      do throws(ConfigurationError) {
        if try add(role, at: place) { break }
      } catch {
        faults.append(error)
        // The roles behind it might let in whom this one keeps out.
        if index + 1 < roles.count { fail(place, "this role and those behind it are left out") }
        break
      }
    }
    let read = RuleConversion.disjunction(reads)
    let write = RuleConversion.disjunction(writes)
    guard read != .bool(false) else { return }
    var rights: Document = ["read": read, "write": write]
    if !hidden.elements.isEmpty { rights.append("fields", .document(hidden)) }
    self.rights = rights
  }

  private mutating func fail(_ place: [JSONPlace.Step], _ text: String) {
    faults.append(ConfigurationError(at: place, text))
  }

  /// Adds a role; true: it applies to all, so that those behind it apply to nobody.
  private mutating func add(_ role: Document, at place: [JSONPlace.Step]) throws(ConfigurationError) -> Bool {
    try check(role, at: place)
    let access = try Access(role, at: place)
    let condition = role["apply_when"] ?? [:]
    let path = place + [.name("apply_when")]
    if case .document(let document) = condition, RuleConversion.isAboutUser(document) {
      guard case .string(let name)? = role["name"] else {
        throw ConfigurationError(at: place, "a role has a name")
      }
      named.append(NamedRole(name: name, rights: access.rights, place: path))
      return false
    }
    let filter = try ExpressionConversion.filter(condition, at: path)
    let applies = (earlier.map { "NOT (\($0))" } + (filter.map { ["(\($0))"] } ?? []))
    if let read = access.read { reads.append(RuleConversion.conjunction(applies + read)) }
    if let write = access.write { writes.append(RuleConversion.conjunction(applies + write)) }
    for element in access.fields.elements {
      if let known = hidden[element.key] {
        if known != element.value {
          fail(place, "“\(element.key)” is hidden for all roles, as it is for one")
        }
      } else {
        hidden.append(element.key, element.value)
      }
    }
    if let filter { earlier.append(filter) }
    return filter == nil
  }

  private static let known: Set<String> = [
    "name", "apply_when", "document_filters", "read", "write", "insert", "delete", "search", "fields",
    "additional_fields",
  ]

  private func check(_ role: Document, at place: [JSONPlace.Step]) throws(ConfigurationError) {
    for element in role.elements where !RuleConversion.known.contains(element.key) {
      throw ConfigurationError(at: place + [.name(element.key)], "“\(element.key)” is not known")
    }
  }

  /// Whether a condition asks about the caller only, and not about the document.
  private static func isAboutUser(_ condition: Document) -> Bool {
    !condition.elements.isEmpty
      && condition.elements.allSatisfy { element in
        switch (element.key, element.value) {
        case ("$and", .array(let parts)), ("$or", .array(let parts)), ("%and", .array(let parts)),
          ("%or", .array(let parts)):
          parts.allSatisfy { if case .document(let part) = $0 { isAboutUser(part) } else { false } }
        default: element.key.hasPrefix("%%user")
        }
      }
  }

  private static func conjunction(_ parts: [String]) -> String { parts.joined(separator: " AND ") }

  /// `true` where one of the filters is empty, which holds for every object.
  private static func disjunction(_ filters: [String]) -> Value {
    if filters.isEmpty { return .bool(false) }
    if filters.contains("") { return .bool(true) }
    return .string(filters.count == 1 ? filters[0] : filters.map { "(\($0))" }.joined(separator: " OR "))
  }

  /// The rights that one role gives its callers.
  private struct Access {
    /// The parts of a filter that all have to hold; empty: every document. Nil: none.
    var read: [String]?
    var write: [String]?
    /// The properties that are not read, or not written.
    var fields = Document()

    var rights: Document {
      var rights: Document = [
        "read": disjunction(read.map { [conjunction($0)] } ?? []),
        "write": disjunction(write.map { [conjunction($0)] } ?? []),
      ]
      if !fields.elements.isEmpty { rights.append("fields", .document(fields)) }
      return rights
    }

    init(_ role: Document, at place: [JSONPlace.Step]) throws(ConfigurationError) {
      let others = try Access.members("additional_fields", in: role, at: place)
      let filters = try Access.members("document_filters", in: role, at: place)
      let path = place + [.name("document_filters")]
      read = try Access.parts(
        [
          (role["read"] ?? others["read"] ?? .bool(false), place + [.name("read")]),
          (filters["read"] ?? .bool(true), path + [.name("read")]),
        ])
      write = try Access.parts(
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
      for element in try Access.members("fields", in: role, at: place).elements {
        let inner = place + [.name("fields"), .name(element.key)]
        guard case .document(let rule) = element.value else {
          throw ConfigurationError(at: inner, "here an object should stand")
        }
        try addField(element.key, rule, at: inner)
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
    private static func parts(_ values: [(Value, [JSONPlace.Step])]) throws(ConfigurationError) -> [String]? {
      var parts: [String] = []
      for (value, place) in values {
        if value == .bool(false) { return nil }
        if let filter = try ExpressionConversion.filter(value, at: place) { parts.append("(\(filter))") }
      }
      return parts
    }
  }
}
