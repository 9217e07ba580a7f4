import GatehouseModel

/// The classes of one schema.
final class ClassLayouts: Sendable {
  let schema: Schema
  private let byName: [String: ClassLayout]
  private let links: [String: [LinkStep]]

  /// How many embedded objects lie inside each other where links of theirs are found.
  private static let depth = 4

  init(_ schema: Schema) {
    self.schema = schema
    byName = Dictionary(
      schema.objectTypes.map { ($0.name, ClassLayout($0, in: schema)) },
      uniquingKeysWith: { first, _ in first })
    var links: [LinkStep] = []
    for type in schema.objectTypes where !type.isEmbedded {
      links += schema.links(of: type, in: type, along: [], depth: Self.depth)
    }
    self.links = Dictionary(grouping: links, by: \.target)
  }

  subscript(name: String) -> ClassLayout? { byName[name] }

  /// The steps from objects of any class, and from those embedded in them, to objects of that one, also by mixed values.
  func links(to objectType: String) -> [LinkStep] { links[objectType] ?? [] }
}

extension Schema {
  /// Returns the steps by the links of a class that is, or is embedded in, `owner`.
  fileprivate func links(of type: ObjectType, in owner: ObjectType, along path: [Int], depth: Int)
    -> [LinkStep]
  {
    type.properties.indices.flatMap { index -> [LinkStep] in
      let path = path + [index]
      func step(to target: String) -> LinkStep {
        LinkStep(property: path[0], owner: owner.name, path: path, target: target, isBackward: false)
      }
      switch type.properties[index].type.stored?.element {
      case .mixed?: return objectTypes.filter { !$0.isEmbedded }.map { step(to: $0.name) }
      case .object(let name)?:
        guard let target = self[name], target.isEmbedded else { return [step(to: name)] }
        return depth == 0 ? [] : links(of: target, in: owner, along: path, depth: depth - 1)
      default: return []
      }
    }
  }
}
