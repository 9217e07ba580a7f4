public import GatehouseBSON

// {"user": {"classes": {"Note": {"read": "owner == %%user.id", "write": "owner == %%user.id",
//   "fields": {"stars": {"write": false}}}, "*": {"read": true}}, "recordsEvents": true}}
extension Policy {
  /// Reads a document of roles, without checking it against a schema.
  public init(notation: Value) throws(PolicyError) {
    var roles: [String: Role] = [:]
    for (name, value, pointer) in try Policy.members(of: notation, at: "") {
      guard !Role.builtIn.contains(where: { $0.name == name }) else {
        throw PolicyError(pointer: pointer, rule: .builtInRole)
      }
      roles[name] = try Policy.role(value, named: name, at: pointer)
    }
    self.init(roles)
  }

  private static func role(_ value: Value, named name: String, at pointer: String) throws(PolicyError) -> Role
  {
    var classes: [String: ClassRole] = [:]
    var recordsEvents = false
    for (member, value, pointer) in try members(of: value, at: pointer) {
      switch member {
      case "classes":
        for (name, value, pointer) in try members(of: value, at: pointer) {
          classes[name] = try classRole(value, pointer)
        }
      case "recordsEvents":
        guard case .bool(let isAllowed) = value else { throw PolicyError(pointer: pointer, rule: .wrongType) }
        recordsEvents = isAllowed
      default: throw PolicyError(pointer: pointer, rule: .unknownMember)
      }
    }
    let others = classes.removeValue(forKey: "*")
    return Role(name, classes: classes, others: others ?? .none, recordsEvents: recordsEvents)
  }

  private static func classRole(_ value: Value, _ pointer: String) throws(PolicyError) -> ClassRole {
    var (read, write) = (Rule.never, Rule.never)
    var (hidden, fixed): (Set<String>, Set<String>) = ([], [])
    var quota: Quota?
    for (member, value, pointer) in try members(of: value, at: pointer) {
      switch member {
      case "read": read = try rule(value, pointer)
      case "write": write = try rule(value, pointer)
      case "quota": quota = try Policy.quota(value, pointer)
      case "fields":
        for (name, value, pointer) in try members(of: value, at: pointer) {
          let (isShown, isWritten) = try field(value, pointer)
          if !isShown { hidden.insert(name) }
          if !isWritten { fixed.insert(name) }
        }
      default: throw PolicyError(pointer: pointer, rule: .unknownMember)
      }
    }
    return ClassRole(read: read, write: write, hidden: hidden, fixed: fixed, quota: quota)
  }

  private static func quota(_ value: Value, _ pointer: String) throws(PolicyError) -> Quota {
    var limits: [String: Int] = [:]
    for (member, value, pointer) in try members(of: value, at: pointer) {
      guard ["objects", "bytes"].contains(member) else {
        throw PolicyError(pointer: pointer, rule: .unknownMember)
      }
      guard let limit = value.count else { throw PolicyError(pointer: pointer, rule: .notACount) }
      limits[member] = limit
    }
    return Quota(objects: limits["objects"], bytes: limits["bytes"])
  }

  private static func rule(_ value: Value, _ pointer: String) throws(PolicyError) -> Rule {
    switch value {
    case .bool(true): .always
    case .bool(false): .never
    case .string(let filter): .when([filter])
    default: throw PolicyError(pointer: pointer, rule: .wrongType)
    }
  }

  private static func field(
    _ value: Value, _ pointer: String
  ) throws(PolicyError) -> (isShown: Bool, isWritten: Bool) {
    var isShown = true
    var isWritten: Bool?
    for (member, value, pointer) in try members(of: value, at: pointer) {
      guard case .bool(let isAllowed) = value else { throw PolicyError(pointer: pointer, rule: .wrongType) }
      switch member {
      case "read": isShown = isAllowed
      case "write": isWritten = isAllowed
      default: throw PolicyError(pointer: pointer, rule: .unknownMember)
      }
    }
    guard isShown || isWritten != true else { throw PolicyError(pointer: pointer, rule: .contradiction) }
    return (isShown, isWritten ?? isShown)
  }

  private static func members(
    of value: Value, at pointer: String
  ) throws(PolicyError) -> [(name: String, value: Value, pointer: String)] {
    guard case .document(let document) = value else {
      throw PolicyError(pointer: pointer, rule: .notADocument)
    }
    return document.elements.map { element in
      let token = element.key.replacing("~", with: "~0").replacing("/", with: "~1")
      return (element.key, element.value, "\(pointer)/\(token)")
    }
  }

  /// The roles as a document; reading it gives equal ones.
  public var notation: Value {
    var document = Document()
    for (name, role) in roles.sorted(by: { $0.key < $1.key }) { document.append(name, role.notation) }
    return .document(document)
  }
}

extension Role {
  fileprivate var notation: Value {
    var all = Document()
    for (name, role) in classes.sorted(by: { $0.key < $1.key }) { all.append(name, role.notation) }
    if others != .none { all.append("*", others.notation) }
    var document: Document = ["classes": .document(all)]
    if recordsEvents { document.append("recordsEvents", .bool(true)) }
    return .document(document)
  }
}

extension ClassRole {
  fileprivate var notation: Value {
    var document: Document = ["read": read.notation, "write": write.notation]
    var fields = Document()
    for name in hidden.union(fixed).sorted() {
      fields.append(
        name, .document(hidden.contains(name) ? ["read": .bool(false)] : ["write": .bool(false)]))
    }
    if !fields.elements.isEmpty { document.append("fields", .document(fields)) }
    if let quota { document.append("quota", quota.notation) }
    return .document(document)
  }
}

extension Quota {
  fileprivate var notation: Value {
    var document = Document()
    if let objects { document.append("objects", .int64(Int64(objects))) }
    if let bytes { document.append("bytes", .int64(Int64(bytes))) }
    return .document(document)
  }
}

extension Value {
  /// The number, if it is an integer from 0 on.
  fileprivate var count: Int? {
    switch self {
    case .int32(let number): number < 0 ? nil : Int(number)
    case .int64(let number): number < 0 ? nil : Int(number)
    default: nil
    }
  }
}

extension Rule {
  fileprivate var notation: Value {
    switch self {
    case .never: .bool(false)
    case .always: .bool(true)
    case .when(let filters): .string(filters.joined(separator: " OR "))
    }
  }
}
