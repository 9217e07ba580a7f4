import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseModel

/// The rights that an app's rules become, role by role and class by class.
struct ImportedRights {
  /// The rights of a role on a class.
  private struct Grant {
    let role: String
    let className: String
    let rights: Document
  }

  private var grants: [Grant] = []
  /// The classes that rights on other classes do not reach: they have rules of their own.
  private var excluded: Set<String> = []
  /// The conditions on users of roles that operators give, by their names.
  private var conditions: [String: Document] = [:]

  /// Adds the rights of a role on a class; `*`: on those without rules of their own.
  mutating func add(_ rights: Document, of role: String, on className: String) {
    exclude(className)
    grants.append(Grant(role: role, className: className, rights: rights))
  }

  /// Adds a role that an operator gives, and returns its name here: those of one name and different conditions are
  /// different roles. Nil: there is one already.
  mutating func add(_ named: RuleConversion.NamedRole, on className: String) -> String? {
    var name = ImportedRights.reserved.contains(named.name) ? "app-\(named.name)" : named.name
    if conditions[name] ?? named.condition != named.condition {
      name = "\(className == "*" ? "default" : className)-\(name)"
    }
    guard conditions[name] ?? named.condition == named.condition,
      !grants.contains(where: { $0.role == name && $0.className == className })
    else { return nil }
    conditions[name] = named.condition
    add(named.rights, of: name, on: className)
    return name
  }

  /// Has rights on other classes not reach a class.
  mutating func exclude(_ className: String) {
    if className != "*" { excluded.insert(className) }
  }

  /// Whether rights on other classes do not reach the class.
  func excludes(_ className: String) -> Bool { excluded.contains(className) }

  /// Names that roles of ours have.
  private static let reserved: Set<String> = [
    "admin", "write", "read", "metrics", "user", "anyone", "system",
  ]

  /// Returns the roles in the notation of `auth/roles.json`.
  func policy(in schema: Schema) -> Document {
    var roles: [(name: String, classes: Document)] = []
    for grant in grants {
      let index = roles.firstIndex { $0.name == grant.role } ?? roles.endIndex
      if index == roles.endIndex { roles.append((grant.role, [:])) }
      roles[index].classes.append(grant.className, .document(grant.rights))
    }
    var notation = Document()
    for (name, var classes) in roles {
      if classes["*"] != nil {
        for name in excluded.sorted() where classes[name] == nil && schema[name]?.isEmbedded == false {
          classes.append(name, .document(RuleConversion.noRights))
        }
      }
      notation.append(name, .document(["classes": .document(classes)]))
    }
    return notation
  }

  /// Returns why rights cannot be given in the schema; nil: they can.
  func refusal(of rights: Document, for role: String, on className: String, in schema: Schema) -> String? {
    let missing = excluded.filter { schema[$0] == nil }.sorted()
    if className == "*", rights != RuleConversion.noRights, !missing.isEmpty {
      let names = missing.map { "“\($0)”" }.joined(separator: ", ")
      return "the rights on other classes would reach \(names), refused here"
    }
    let classes: Document = [className: .document(rights)]
    do throws(PolicyError) {
      try Policy(notation: [role: .document(["classes": .document(classes)])]).validate(in: schema)
      return nil
    } catch {
      return "these rights are left out: \(ErrorExplanation(error).entries.joined(separator: " "))"
    }
  }
}
