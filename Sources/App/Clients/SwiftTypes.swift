import GatehouseModel

/// The classes of a schema in Swift.
struct SwiftTypes {
  /// A property as the program has it.
  private struct Field {
    let member: ClientClasses.Member
    let name: String
    let type: String
    let isEmbedded: Bool

    var declaration: String { "  \(isEmbedded ? "@Indirect " : "")public var \(name): \(type)\n" }
    /// With the default that lets it be left out.
    var optionalDeclaration: String {
      "  \(isEmbedded ? "@Indirect " : "")public var \(name): (\(type))?\(isEmbedded ? " = .none" : "")\n"
    }
  }

  private static let taken: Set<String> = [
    "json", "members", "hash", "hashValue", "description", "init", "self", "Self", "Type",
  ]
  private let classes: ClientClasses

  init(_ classes: ClientClasses) {
    self.classes = classes
  }

  var text: String {
    let types = classes.all.flatMap { type in
      [object(type), content(of: type, for: .create), content(of: type, for: .patch)]
    }
    return (types + [gatehouse]).joined(separator: "\n")
  }

  private func fields(of type: ClientClass, for use: ClientUse) -> [Field] {
    var names = ClientNames(without: Self.taken.union(ClientLanguage.swift.keywords))
    return classes.members(of: type, for: use).map { member in
      Field(
        member: member, name: names.take(member.name), type: text(of: member.type, for: use),
        isEmbedded: isEmbedded(member.type))
    }
  }

  private func isEmbedded(_ type: PropertyType) -> Bool {
    if case .one(let element, _) = type, case .embedded = classes.single(element) { true } else { false }
  }

  /// The members of a struct for the fields of a document; none where the class has a schema.
  private struct DocumentFields {
    var declaration = ""
    var reading = ""
    /// Where the members begin that are written.
    var members = "[:]"

    init(of type: ClientClass) {
      guard type.objectType.isSchemaless else { return }
      declaration = """
          /// All fields but `_id`.
          public var fields: [String: Mixed] = [:]
          /// A field; null where there is none.
          public subscript(field: String) -> Mixed {
            get { fields[field] ?? .null }
            set { fields[field] = newValue }
          }

        """
      reading =
        "    if case .object(var members) = json {\n      members[\"_id\"] = nil\n      fields = members\n    }\n"
      members = "fields"
    }
  }

  /// An object as answers have it.
  private func object(_ type: ClientClass) -> String {
    let (fields, document) = (fields(of: type, for: .read), DocumentFields(of: type))
    return """
      public struct \(type.name): JSONConvertible, Equatable {
      \(fields.map(\.declaration).joined())\(document.declaration)
        public init(json: JSON) throws {
      \(fields.map { "    \($0.name) = try json.value(\($0.member.name.quoted))\n" }.joined())\(document.reading)  }

        public var json: JSON {
          \(fields.isEmpty ? "let" : "var") members: [String: JSON] = \(document.members)
      \(fields.map { "    members[\($0.member.name.quoted)] = \($0.name).json\n" }.joined())    return .object(members)
        }
      }

      """
  }

  /// An object that is created, or a patch: nil leaves out a property, `.some(nil)` is null.
  private func content(of type: ClientClass, for use: ClientUse) -> String {
    let (fields, document) = (fields(of: type, for: use), DocumentFields(of: type))
    let required = fields.filter(\.member.isRequired)
    let optional = fields.filter { !$0.member.isRequired }
    let parameters = required.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    let reading = fields.map { field in
      "    \(field.name) = try json.\(field.member.isRequired ? "value" : "given")(\(field.member.name.quoted))\n"
    }
    let writing = fields.map { field in
      let value = field.member.isRequired ? "\(field.name).json" : "\(field.name)?.json"
      return "    members[\(field.member.name.quoted)] = \(value)\n"
    }
    return """
      public struct \(type.name(for: use)): JSONConvertible, Equatable {
      \(required.map(\.declaration).joined())\(optional.map(\.optionalDeclaration).joined())\(document.declaration)
        public init(\(parameters)) {
      \(required.map { "    self.\($0.name) = \($0.name)\n" }.joined())  }

        public init(json: JSON) throws {
      \(reading.joined())\(document.reading)  }

        public var json: JSON {
          \(fields.isEmpty ? "let" : "var") members: [String: JSON] = \(document.members)
      \(writing.joined())    return .object(members)
        }
      }

      """
  }

  private var gatehouse: String {
    var names = ClientNames(without: ClientLanguage.swift.keywords.union(["client", "key", "url"]))
    let fields = classes.collections.map { type in
      let types = [type.name, type.creation, type.patch, text(of: classes.nameKey(of: type).element)]
      return (
        name: names.take(type.name.lowercasedFirst), type: "Objects<\(types.joined(separator: ", "))>",
        objectType: type.objectType.name
      )
    }
    return """
      /// The classes of a server.
      public struct Gatehouse: Sendable {
        public let client: Client
      \(fields.map { "  public let \($0.name): \($0.type)\n" }.joined())
        /// - Parameter key: An API key, or the access token of a login.
        public init(_ url: String, key: String? = nil) {
          client = Client(url, key: key)
      \(fields.map { "    \($0.name) = Objects(client, \($0.objectType.quoted))\n" }.joined())  }
      }

      """
  }

  private func text(of type: PropertyType, for use: ClientUse) -> String {
    guard let (container, element, optional) = type.stored else { return "JSON" }
    // A patch empties collections, and takes entries out of maps, by null.
    let orNull = use == .patch ? "?" : ""
    switch container {
    case .one: return single(element, optional: optional, for: use)
    case .list, .set: return "[\(self.element(element, optional: optional, for: use))]\(orNull)"
    case .map:
      return "[String: \(self.element(element, optional: optional || use == .patch, for: use))]\(orNull)"
    }
  }

  /// Elements are given as a whole, also by a patch.
  private func element(_ element: ElementType, optional: Bool, for use: ClientUse) -> String {
    single(element, optional: optional, for: use == .patch ? .create : use)
  }

  private func single(_ element: ElementType, optional: Bool, for use: ClientUse) -> String {
    switch classes.single(element) {
    case .embedded(let type): type.name(for: use) + (optional ? "?" : "")
    // Null is one of its values.
    case .scalar(.mixed): "Mixed"
    case .scalar(let element), .link(let element): text(of: element) + (optional ? "?" : "")
    }
  }

  private func text(of element: ElementType) -> String {
    switch element {
    case .bool: "Bool"
    case .int: "Int64"
    case .float, .double: "Double"
    case .decimal128: "Decimal128"
    case .string: "String"
    case .data: "Data"
    case .date: "DateTime"
    case .objectID: "ObjectId"
    case .uuid: "UUID"
    case .mixed, .object: "Mixed"
    }
  }
}

extension String {
  fileprivate var lowercasedFirst: String {
    prefix(1).lowercased() + dropFirst()
  }
}
