import GatehouseModel

/// The classes of one schema.
final class ClassLayouts: Sendable {
  let schema: Schema
  private let byName: [String: ClassLayout]
  private let links: [String: [LinkStep]]
  private let holders: [String: [(owner: String, path: [Int])]]

  /// How many embedded objects lie inside each other where links of theirs are found.
  fileprivate static let depth = 4

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
    holders = Dictionary(
      schema.objectTypes.filter(\.isEmbedded).map { ($0.name, schema.holders(of: $0.name)) },
      uniquingKeysWith: { first, _ in first })
  }

  subscript(name: String) -> ClassLayout? { byName[name] }

  /// The steps from objects of any class, and from those embedded in them, to objects of that one, also by mixed values.
  func links(to objectType: String) -> [LinkStep] { links[objectType] ?? [] }

  /// The properties, one inside the other, by which objects hold those of an embedded class.
  func holders(of objectType: String) -> [(owner: String, path: [Int])] { holders[objectType] ?? [] }
}

extension Schema {
  /// The properties, one inside the other, by which objects of other classes hold those of an embedded class.
  func holders(of embedded: String) -> [(owner: String, path: [Int])] {
    objectTypes.filter { !$0.isEmbedded }.flatMap { owner in
      paths(from: owner, to: embedded, depth: ClassLayouts.depth).map { (owner.name, $0) }
    }
  }

  private func paths(from type: ObjectType, to embedded: String, depth: Int) -> [[Int]] {
    if depth == 0 { return [] }
    return type.properties.indices.flatMap { index -> [[Int]] in
      guard case .object(let name)? = type.properties[index].type.stored?.element, let next = self[name],
        next.isEmbedded
      else { return [] }
      let longer = paths(from: next, to: embedded, depth: depth - 1).map { [index] + $0 }
      return name == embedded ? [[index]] + longer : longer
    }
  }

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
