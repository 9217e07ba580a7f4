import GatehouseBSON
import GatehouseModel

/// The classes of a schema in TypeScript.
struct TypeScriptTypes {
  private let classes: ClientClasses

  init(_ classes: ClientClasses) {
    self.classes = classes
  }

  var text: String {
    let types = classes.all.flatMap { type in ClientUse.allCases.map { interface(of: type, for: $0) } }
    return (types + [gatehouse]).joined(separator: "\n")
  }

  private func interface(of type: ClientClass, for use: ClientUse) -> String {
    let members = classes.members(of: type, for: use).map { member in
      "  \(member.name.quoted)\(member.isRequired ? "" : "?"): \(text(of: member.type, for: use));\n"
    }
    let fields = type.objectType.isSchemaless ? "  [field: string]: Mixed | null | undefined;\n" : ""
    return "export interface \(type.name(for: use)) {\n\(members.joined())\(fields)}\n"
  }

  private var gatehouse: String {
    let fields = classes.collections.map { type in
      let types = [type.name, type.creation, type.patch, keyText(of: type)].joined(separator: ", ")
      return (name: type.name, type: "Collection<\(types)>", objectType: type.objectType.name)
    }
    return """
      /** The classes of a server. */
      export class Gatehouse {
        readonly client: Client;
      \(fields.map { "  readonly \($0.name): \($0.type);\n" }.joined())
        constructor(url: string, options: ClientOptions = {}) {
          this.client = new Client(url, options);
      \(fields.map { "    this.\($0.name) = new Collection(this.client, \($0.objectType.quoted));\n" }.joined())  }
      }

      """
  }

  private func keyText(of type: ClientClass) -> String {
    let (element, optional) = classes.nameKey(of: type)
    return text(of: element) + (optional ? " | null" : "")
  }

  private func text(of type: PropertyType, for use: ClientUse) -> String {
    guard let (container, element, optional) = type.stored else { return "never" }
    // A patch empties collections, and takes entries out of maps, by null.
    let orNull = use == .patch ? " | null" : ""
    switch container {
    case .one: return single(element, optional: optional, for: use)
    case .list, .set: return "(\(self.element(element, optional: optional, for: use)))[]\(orNull)"
    case .map:
      return
        "{ [key: string]: \(self.element(element, optional: optional || use == .patch, for: use)) }\(orNull)"
    }
  }

  /// Elements are given as a whole, also by a patch.
  private func element(_ element: ElementType, optional: Bool, for use: ClientUse) -> String {
    single(element, optional: optional, for: use == .patch ? .create : use)
  }

  private func single(_ element: ElementType, optional: Bool, for use: ClientUse) -> String {
    let text =
      switch classes.single(element) {
      case .embedded(let type): type.name(for: use)
      case .scalar(.date) where use != .read: "DateTime | Date"
      case .scalar(let element), .link(let element): text(of: element)
      }
    return optional ? "\(text) | null" : text
  }

  private func text(of element: ElementType) -> String {
    switch element {
    case .bool: "boolean"
    case .int, .float, .double: "number"
    case .decimal128: "Decimal128"
    case .string, .uuid: "string"
    case .data: "Base64"
    case .date: "DateTime"
    case .objectID: "ObjectId"
    case .mixed, .object: "Mixed"
    }
  }
}

extension String {
  /// The text in quotes, as JSON, TypeScript, Swift and Python write it: names of a schema have no control characters.
  var quoted: String {
    String(decoding: Value.string(self).plainJSON, as: UTF8.self)
  }
}
