/// A class under another name, with its objects.
public struct ClassRename: Hashable, Sendable {
  public let from: String
  public let to: String

  public init(from: String, to: String) {
    self.from = from
    self.to = to
  }

  /// Reads `Old:New`.
  public init?(text: some StringProtocol) {
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty, !halves[0].contains(".") else {
      return nil
    }
    self.init(from: String(halves[0]), to: String(halves[1]))
  }

  /// Whether the class is there before and not after, and its new name the other way round.
  public func isPossible(from old: Schema, to new: Schema) -> Bool {
    old[from] != nil && old[to] == nil && new[to] != nil && new[from] == nil
  }

  fileprivate func renaming(_ name: String) -> String { name == from ? to : name }
}

extension ClassRename {
  /// Returns a class as it is then, which may be the one that is renamed or link to it.
  public func renamed(_ type: ObjectType) -> ObjectType {
    ObjectType(
      name: renaming(type.name), kind: type.kind, properties: type.properties.map { $0.following(self) },
      primaryKey: type.primaryKey?.name, indexes: type.indexes
    ).projected(type.projections).constrained(by: type.constraints)
  }
}

extension Schema {
  /// The schema with one class under another name, also where others link to it.
  public func renaming(_ rename: ClassRename) -> Schema { Schema(objectTypes.map(rename.renamed)) }
}

extension Property {
  fileprivate func following(_ rename: ClassRename) -> Property {
    Property(
      name: name, storedName: storedName, type: type.following(rename), index: index,
      defaultValue: defaultValue, constraints: constraints)
  }
}

extension PropertyType {
  fileprivate func following(_ rename: ClassRename) -> PropertyType {
    switch self {
    case .one(let element, let isOptional): .one(element.following(rename), optional: isOptional)
    case .list(let element, let isOptional): .list(element.following(rename), optional: isOptional)
    case .set(let element, let isOptional): .set(element.following(rename), optional: isOptional)
    case .map(let element, let isOptional): .map(element.following(rename), optional: isOptional)
    case .linkingObjects(let objectType, let property):
      .linkingObjects(objectType: rename.renaming(objectType), property: property)
    }
  }
}

extension ElementType {
  fileprivate func following(_ rename: ClassRename) -> ElementType {
    if case .object(let name) = self { .object(rename.renaming(name)) } else { self }
  }
}
