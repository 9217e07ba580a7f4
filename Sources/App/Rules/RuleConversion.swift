import GatehouseBSON
import GatehouseModel

/// Makes rights of our roles of the rules of a collection, as App Services has them: the first of its roles that applies to a caller
/// and a document decides.
struct RuleConversion {
  /// A role that whoever App Services gave it by a condition on the user has to be given.
  struct NamedRole {
    let name: String
    let condition: Document
    let rights: Document
    /// The line of its condition leads there.
    let place: [JSONPlace.Step]
  }

  /// The rights that are none.
  static let noRights: Document = ["read": .bool(false), "write": .bool(false)]

  /// The rights of users who have no role of their own; nil: none.
  private(set) var rights: Document?
  private(set) var named: [NamedRole] = []
  private(set) var faults: [ConfigurationError] = []
  /// The permissions that are something else here than they say.
  private(set) var notes: [ConfigurationError] = []

  private var reads: [String] = []
  private var writes: [String] = []
  private var hidden = Document()
  /// Outer bounds of the conditions of the roles that come before.
  private var earlier: [String] = []
  /// The rights of the roles before whose condition on the user is not asked.
  private var unasked: [RuleAccess] = []
  private var filters = RuleFilters()
  private let expressions: ExpressionConversion

  /// - Parameter type: the class of the collection; nil: the rules are for several.
  init(_ rules: Document, on type: ObjectType?, in schema: Schema) {
    expressions = ExpressionConversion(on: type, in: schema)
    do throws(ConfigurationError) {
      try RuleConversion.check(rules, at: [], known: RuleConversion.members)
      filters = try RuleFilters(rules["filters"], expressions)
    } catch {
      faults.append(error)
      fail(error.path, "so none of the roles gives rights")
      return
    }
    faults += filters.faults
    switch rules["roles"] {
    case nil, .null?: return
    case .array(let roles)?: add(roles)
    case _?: fail([.name("roles")], "roles are an array")
    }
    let read = RuleConversion.disjunction(reads)
    let write = RuleConversion.disjunction(writes)
    guard read != .bool(false) else { return }
    rights = RuleConversion.rights(read: read, write: write, fields: hidden)
  }

  private mutating func add(_ roles: [Value]) {
    for (index, role) in roles.enumerated() {
      let place: [JSONPlace.Step] = [.name("roles"), .index(index)]
      do throws(ConfigurationError) {
        guard case .document(let role) = role else {
          throw ConfigurationError(at: place, "a role is an object")
        }
        if try add(role, isLast: index + 1 == roles.count, at: place) { return }
      } catch {
        faults.append(error)
        // The roles behind it might let in whom this one keeps out.
        if index + 1 < roles.count { fail(place, "this role and those behind it are left out") }
        return
      }
    }
  }

  private mutating func fail(_ place: [JSONPlace.Step], _ text: String) {
    faults.append(ConfigurationError(at: place, text))
  }

  /// Adds a role; true: it applies to all, so that those behind it apply to nobody.
  private mutating func add(
    _ role: Document, isLast: Bool, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> Bool {
    try RuleConversion.check(role, at: place, known: RuleConversion.roleMembers)
    var access = try RuleAccess(role, expressions, at: place)
    notes += access.notes
    access.narrow(by: filters)
    let path = place + [.name("apply_when")]
    let condition: Document
    switch role["apply_when"] {
    case nil, .null?: condition = [:]
    case .document(let document)?: condition = document
    case _?: throw ConfigurationError(at: path, "here an object should stand")
    }
    if RuleConversion.isAboutUser(condition) {
      try addNamed(role, if: condition, access, at: place)
      return false
    }
    if unasked.contains(where: { !$0.covers(access) }) {
      throw ConfigurationError(
        at: place, "a role before it gives less to some users, and its condition on the user is not asked")
    }
    let filter = try expressions.filter(.document(condition), .inner, at: path)
    let outer = isLast ? filter : try expressions.filter(.document(condition), .outer, at: path)
    let applies = others + (filter.map { ["(\($0))"] } ?? [])
    if let read = access.read { reads.append(RuleConversion.conjunction(applies + read)) }
    if let write = access.write { writes.append(RuleConversion.conjunction(applies + write)) }
    for element in access.fields.elements {
      if hidden[element.key] ?? element.value != element.value {
        fail(place, "“\(element.key)” is hidden for all roles, as it is for one")
      }
    }
    hidden = RuleConversion.merged(hidden, access.fields)
    if let outer { earlier.append(outer) }
    return outer == nil
  }

  /// The parts of a filter for the documents to which no role before applies.
  private var others: [String] { earlier.map { "NOT (\($0))" } }

  /// Adds a role that an operator gives: to the documents of the roles before it, these apply as to others.
  private mutating func addNamed(
    _ role: Document, if condition: Document, _ access: RuleAccess, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) {
    guard case .string(let name)? = role["name"] else {
      throw ConfigurationError(at: place, "a role has a name")
    }
    guard !named.contains(where: { $0.name == name }) else {
      throw ConfigurationError(at: place + [.name("name")], "there is another role “\(name)”")
    }
    let read = reads + (access.read.map { [RuleConversion.conjunction(others + $0)] } ?? [])
    let write = writes + (access.write.map { [RuleConversion.conjunction(others + $0)] } ?? [])
    let rights = RuleConversion.rights(
      read: RuleConversion.disjunction(read), write: RuleConversion.disjunction(write),
      fields: RuleConversion.merged(hidden, access.fields))
    named.append(
      NamedRole(name: name, condition: condition, rights: rights, place: place + [.name("apply_when")]))
    // Whom an operator gives a role of that name it is for, and nobody else.
    if condition != ["%%user.roles": .string(name)] { unasked.append(access) }
  }

  private static let members: Set<String> = [
    "$schema", "_id", "id", "database", "collection", "roles", "filters", "schema", "relationships",
    "metadata",
  ]
  private static let roleMembers: Set<String> = [
    "name", "apply_when", "document_filters", "read", "write", "insert", "delete", "search", "fields",
    "additional_fields",
  ]

  /// Refuses members that are not known: misspelt, what they should keep from callers would be given to them.
  static func check(
    _ document: Document, at place: [JSONPlace.Step], known: Set<String>
  ) throws(ConfigurationError) {
    for element in document.elements where !known.contains(element.key) {
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
        default: element.key.hasPrefix("%%user") && !isAboutObject(element.value)
        }
      }
  }

  /// Whether a value of a condition names the document.
  private static func isAboutObject(_ value: Value) -> Bool {
    switch value {
    case .string(let text): ["%%root", "%%prevRoot", "%%this"].contains { text.hasPrefix($0) }
    case .array(let values): values.contains(where: isAboutObject)
    case .document(let document): document.elements.contains { isAboutObject($0.value) }
    default: false
    }
  }

  private static func rights(read: Value, write: Value, fields: Document) -> Document {
    var rights: Document = ["read": read, "write": write]
    if !fields.elements.isEmpty { rights.append("fields", .document(fields)) }
    return rights
  }

  /// Returns the properties with all that one of the two takes from callers.
  static func merged(_ one: Document, _ other: Document) -> Document {
    var merged = one
    for element in other.elements {
      guard let index = merged.elements.firstIndex(where: { $0.key == element.key }),
        case .document(var known) = merged.elements[index].value, case .document(let more) = element.value
      else {
        merged.append(element.key, element.value)
        continue
      }
      for part in more.elements where known[part.key] == nil { known.append(part.key, part.value) }
      merged.elements[index].value = .document(known)
    }
    return merged
  }

  private static func conjunction(_ parts: [String]) -> String { parts.joined(separator: " AND ") }

  /// `true` where one of the filters is empty, which holds for every object.
  private static func disjunction(_ filters: [String]) -> Value {
    if filters.isEmpty { return .bool(false) }
    if filters.contains("") { return .bool(true) }
    return .string(filters.count == 1 ? filters[0] : filters.map { "(\($0))" }.joined(separator: " OR "))
  }
}
