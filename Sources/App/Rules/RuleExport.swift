import GatehouseAccess
import GatehouseBSON
import GatehouseModel

/// Makes rules of collections, as App Services has them, of the rights of roles.
struct RuleExport {
  /// The rules by class; those of `*` are for all others.
  private(set) var rules: [String: Document] = [:]
  /// The rights that App Services has no words for, and that are left out.
  private(set) var omissions: [String] = []
  private let schema: Schema

  /// - Parameter database: The name of the database that the collections are in.
  init(_ policy: Policy, in schema: Schema, database: String) {
    self.schema = schema
    // A role of a user's own decides, and not the one that users have who have none.
    let names = policy.roles.keys.sorted().filter { $0 != Policy.userRole } + [Policy.userRole]
    let roles = names.compactMap { $0 == Policy.anyoneRole ? nil : policy.roles[$0] }
    if policy.roles[Policy.anyoneRole] != nil { omissions.append("the rights of callers without a login") }
    for role in roles where role.recordsEvents { omissions.append("role “\(role.name)” may record events") }
    for className in Set(roles.flatMap(\.classes.keys)).sorted() {
      var document: Document = ["database": .string(database), "collection": .string(className)]
      add(roles.map { ($0.name, $0.classes[className] ?? $0.others) }, on: className, to: &document)
    }
    // Where classes have rules, others have none without a default rule.
    guard roles.contains(where: { $0.others != .none }) || rules.isEmpty && !roles.isEmpty else { return }
    var document = Document()
    add(roles.map { ($0.name, $0.others) }, on: "*", to: &document)
  }

  /// Adds the rules of a class. Each role has one, that without rights as well: the next one would decide for its users.
  private mutating func add(
    _ roles: [(name: String, rights: ClassRole)], on className: String, to document: inout Document
  ) {
    let rules = roles.map { Value.document(rule(named: $0.name, $0.rights, on: className)) }
    document.append("roles", .array(rules))
    document.append("filters", .array([]))
    self.rules[className] = document
  }

  private mutating func rule(named name: String, _ rights: ClassRole, on className: String) -> Document {
    var filters = Document()
    var allowed: [Bool] = []
    for (member, rule) in [("read", rights.read), ("write", rights.write)] {
      switch rule {
      case .never: allowed.append(false)
      case .always: allowed.append(true)
      case .when(let texts):
        let filter = schema[className].flatMap { type in
          RuleExpression.document(for: texts.joined(separator: " OR "), on: type, in: schema)
        }
        allowed.append(filter != nil)
        if let filter {
          filters.append(member, .document(filter))
        } else {
          omissions.append("role “\(name)”: the condition on \(member) of \(className) cannot be said")
        }
      }
    }
    // In App Services writing includes reading: what is not read is not written here.
    if !allowed[0] { allowed[1] = false }
    if allowed[1], filters["write"] == nil, let read = filters["read"] { filters.append("write", read) }
    if rights.quota != nil { omissions.append("role “\(name)”: the quota of \(className)") }
    let isForAll = name == Policy.userRole
    let condition: Document = isForAll ? [:] : ["%%user.roles": .string(name)]
    var rule: Document = ["name": .string(name), "apply_when": .document(condition)]
    if !filters.elements.isEmpty { rule.append("document_filters", .document(filters)) }
    rule.append("read", .bool(allowed[0]))
    rule.append("write", .bool(allowed[1]))
    rule.append("insert", .bool(allowed[1]))
    rule.append("delete", .bool(allowed[1]))
    rule.append("search", .bool(allowed[0]))
    var fields = Document()
    for property in rights.hidden.union(rights.fixed).sorted() {
      // A permission that is not said is none.
      let isRead = !rights.hidden.contains(property)
      fields.append(property, .document(["read": .bool(isRead), "write": .bool(false)]))
    }
    if !fields.elements.isEmpty { rule.append("fields", .document(fields)) }
    return rule
  }
}
