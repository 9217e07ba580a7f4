import GatehouseModel

/// The classes of a schema in Python: dictionaries with types.
struct PythonTypes {
  private let classes: ClientClasses

  init(_ classes: ClientClasses) {
    self.classes = classes
  }

  var text: String {
    let types = classes.all.flatMap { type in ClientUse.allCases.map { dictionary(of: type, for: $0) } }
    return (types + [gatehouse]).joined(separator: "\n")
  }

  private func dictionary(of type: ClientClass, for use: ClientUse) -> String {
    let members = classes.members(of: type, for: use)
    let name = type.name(for: use)
    // A TypedDict has no other keys than those that it names.
    if type.objectType.isSchemaless { return "\(name) = dict[str, Mixed]\n" }
    let required = members.filter(\.isRequired)
    if required.count == members.count { return "\(name) = \(dictionary(name, required, for: use))\n" }
    let others = dictionary(name, members.filter { !$0.isRequired }, for: use, isTotal: false)
    if required.isEmpty { return "\(name) = \(others)\n" }
    // Two, as Python has no other way to say it before 3.11.
    return "class \(name)(\(dictionary(name, required, for: use)), \(others)):\n    pass\n"
  }

  private func dictionary(
    _ name: String, _ members: [ClientClasses.Member], for use: ClientUse, isTotal: Bool = true
  ) -> String {
    // Types in quotes may refer to what follows.
    let lines = members.map { "    \($0.name.quoted): \(text(of: $0.type, for: use).quoted),\n" }
    return "typing.TypedDict(\(name.quoted), {\n\(lines.joined())}\(isTotal ? "" : ", total=False"))"
  }

  private var gatehouse: String {
    let fields = classes.collections.map { type in
      let types = [type.name, type.creation, type.patch, keyText(of: type)].joined(separator: ", ")
      return
        "        self.\(type.name): Collection[\(types)] = Collection(self.client, \(type.objectType.name.quoted))\n"
    }
    return """

      class Gatehouse:
          \"""The classes of a server.\"""

          def __init__(self, url: str, key: typing.Optional[str] = None, timeout: float = 60) -> None:
              self.client = Client(url, key, timeout)
      \(fields.joined())
      """
  }

  private func keyText(of type: ClientClass) -> String {
    let (element, optional) = classes.nameKey(of: type)
    return optional ? "typing.Optional[\(text(of: element, for: .read))]" : text(of: element, for: .read)
  }

  private func text(of type: PropertyType, for use: ClientUse) -> String {
    guard let (container, element, optional) = type.stored else { return "None" }
    switch container {
    case .one: return single(element, optional: optional, for: use)
    case .list, .set:
      let list = "list[\(self.element(element, optional: optional, for: use))]"
      // A patch empties collections, and takes entries out of maps, by null.
      return use == .patch ? "typing.Optional[\(list)]" : list
    case .map:
      let map = "dict[str, \(self.element(element, optional: optional || use == .patch, for: use))]"
      return use == .patch ? "typing.Optional[\(map)]" : map
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
      case .scalar(let element), .link(let element): text(of: element, for: use)
      }
    return optional ? "typing.Optional[\(text)]" : text
  }

  private func text(of element: ElementType, for use: ClientUse) -> String {
    let isContent = use != .read
    return switch element {
    case .bool: "bool"
    case .int: "int"
    case .float, .double: "float"
    case .decimal128: isContent ? "Decimal128" : "str"
    case .string: "str"
    case .data: isContent ? "Base64" : "str"
    case .date: isContent ? "DateTime" : "str"
    case .objectID: "ObjectId"
    case .uuid: isContent ? "UUID" : "str"
    case .mixed, .object: "Mixed"
    }
  }
}
