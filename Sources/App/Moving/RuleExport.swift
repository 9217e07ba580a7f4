import GatehouseAccess
import GatehouseBSON

/// Makes rules of collections, as App Services has them, of the rights of roles.
struct RuleExport {
  /// The rules by class; those of `*` are for all others.
  private(set) var rules: [String: Document] = [:]
  /// The rights that App Services has no words for, and that are left out.
  private(set) var omissions: [String] = []

  init(_ policy: Policy, database: String) {
    var roles: [String: [Value]] = [:]
    // A role of a user's own decides before the one that all users have.
    let names = policy.roles.keys.sorted().filter { $0 != Policy.userRole } + [Policy.userRole]
    for name in names {
      guard let role = policy.roles[name] else { continue }
      if role.recordsEvents { omissions.append("role “\(name)” may record events") }
      var classes = role.classes.sorted { $0.key < $1.key }
      if role.others != .none { classes.append(("*", role.others)) }
      for (className, rights) in classes {
        guard let rule = rule(named: name, rights, on: className) else { continue }
        roles[className, default: []].append(.document(rule))
      }
    }
    for (className, roles) in roles {
      var document = Document()
      if className != "*" {
        document = ["database": .string(database), "collection": .string(className)]
      }
      document.append("roles", .array(roles))
      document.append("filters", .array([]))
      rules[className] = document
    }
  }

  private mutating func rule(named name: String, _ rights: ClassRole, on className: String) -> Document? {
    var filters = Document()
    var allowed: [Bool] = []
    for (member, rule) in [("read", rights.read), ("write", rights.write)] {
      switch rule {
      case .never: allowed.append(false)
      case .always: allowed.append(true)
      case .when(let texts):
        guard let filter = RuleExpression.document(for: texts.joined(separator: " OR ")) else {
          omissions.append("role “\(name)”: the condition on \(member) of \(className) cannot be said")
          return nil
        }
        filters.append(member, .document(filter))
        allowed.append(true)
      }
    }
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
      fields.append(
        property,
        .document(rights.hidden.contains(property) ? ["read": .bool(false)] : ["write": .bool(false)]))
    }
    if !fields.elements.isEmpty { rule.append("fields", .document(fields)) }
    return rule
  }
}
