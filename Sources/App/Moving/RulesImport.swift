import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseModel

/// The rules of an app's collections, which become the rights of roles when all classes are known.
struct RulesImport {
  /// The rules of one collection, or of all that have none; the class of these is `*`.
  private struct CollectionRules {
    let className: String
    let content: Document
    let file: String
    /// The way from the file's value to them.
    let path: [JSONPlace.Step]
  }

  private var rules: [CollectionRules] = []
  private var rights = ImportedRights()
  /// Whether the default rule does not reach classes that are made later.
  private var isOnlyOfPresent = false

  /// Has the default rule not reach a class.
  mutating func exclude(_ className: String) { rights.exclude(className) }

  /// Has the default rule reach only classes that the app has now: one that is made later may be one whose own rules were refused with it.
  mutating func excludeLater() { isOnlyOfPresent = true }

  /// Takes the rules of a class; `*`: those of classes without rules of their own.
  mutating func take(
    _ value: Value, at file: String, below path: [JSONPlace.Step], for className: String,
    _ result: inout ImportResult
  ) {
    rights.exclude(className)
    guard case .document(let content) = value else {
      return result.refuse("rules are an object", in: file, at: path)
    }
    rules.append(CollectionRules(className: className, content: content, file: file, path: path))
  }

  /// Writes the roles that all of them become.
  mutating func finish(in schema: Schema, _ result: inout ImportResult) {
    if rules.contains(where: { $0.className != "*" && schema[$0.className].map(\.isEmbedded) != false }) {
      excludeLater()
    }
    for rules in rules {
      if rules.className != "*" {
        if let type = schema[rules.className], !type.isEmbedded {
          add(rules, on: type, in: schema, &result)
        } else {
          result.refuse("its collection is refused", in: rules.file, at: rules.path)
        }
        continue
      }
      // Conditions on documents are those of each class by itself.
      if !isOnlyOfPresent, RuleConversion(rules.content, on: nil, in: schema).faults.isEmpty {
        add(rules, on: nil, in: schema, &result)
      } else {
        for type in schema.objectTypes where !type.isEmbedded && !rights.excludes(type.name) {
          add(rules, on: type, in: schema, &result)
        }
      }
    }
    let notation = rights.policy(in: schema)
    if !notation.elements.isEmpty { result.write(.document(notation), to: "auth/roles.json") }
  }

  /// Adds the rights that rules give on a class; nil: on all that have no rules of their own.
  private mutating func add(
    _ rules: CollectionRules, on type: ObjectType?, in schema: Schema, _ result: inout ImportResult
  ) {
    let (file, path) = (rules.file, rules.path)
    let className = type?.name ?? "*"
    let subject = type.map(\.name) ?? "other classes"
    let suffix = rules.className == "*" ? ", on \(subject)" : ""
    let conversion = RuleConversion(rules.content, on: type, in: schema)
    for fault in conversion.faults { result.refuse(fault.text + suffix, in: file, at: path + fault.path) }
    for note in conversion.notes { result.add(.changed, note.text + suffix, in: file, at: path + note.path) }
    var given = conversion.rights
    let role = GatehouseAccess.Policy.userRole
    if let text = given.flatMap({ rights.refusal(of: $0, for: role, on: className, in: schema) }) {
      result.refuse(text, in: file, at: path)
      given = nil
    }
    rights.add(given ?? RuleConversion.noRights, of: role, on: className)
    if given != nil {
      result.add(.taken, "rights of users on \(subject)", in: file)
    } else {
      result.add(.changed, "users have no rights on \(subject)", in: file, at: path)
    }
    for role in conversion.named { add(role, of: rules, on: className, in: schema, &result) }
  }

  /// Adds a role that an operator gives.
  private mutating func add(
    _ role: RuleConversion.NamedRole, of rules: CollectionRules, on className: String, in schema: Schema,
    _ result: inout ImportResult
  ) {
    let (file, path) = (rules.file, rules.path + role.place)
    if let text = rights.refusal(of: role.rights, for: role.name, on: className, in: schema) {
      return result.refuse("role “\(role.name)”: \(text)", in: file, at: path)
    }
    guard let name = rights.add(role, on: className) else {
      return result.refuse("there is another role “\(role.name)”", in: file, at: path)
    }
    result.add(
      .changed,
      "role “\(name)” is for users to whom an operator gives it, as to the first role that fits a user: the condition on the user is not asked",
      in: file, at: path)
  }
}
