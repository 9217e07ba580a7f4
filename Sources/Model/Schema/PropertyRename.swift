/// One property of a class under another name, with the data that it has.
public struct PropertyRename: Hashable, Sendable {
  public let objectType: String
  /// By the names that clients use.
  public let from: String
  public let to: String

  public init(objectType: String, from: String, to: String) {
    self.objectType = objectType
    self.from = from
    self.to = to
  }

  /// Reads `Class.old:new`.
  public init?(text: some StringProtocol) {
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2, let point = halves[0].firstIndex(of: ".") else { return nil }
    let place = (halves[0][..<point], halves[0][halves[0].index(after: point)...])
    guard !place.0.isEmpty, !place.1.isEmpty, !halves[1].isEmpty else { return nil }
    self.init(objectType: String(place.0), from: String(place.1), to: String(halves[1]))
  }
}

extension ObjectType {
  /// The class with one property under another name; where it is stored does not change.
  public func renaming(_ rename: PropertyRename) -> ObjectType {
    ObjectType(
      name: name, kind: kind,
      properties: properties.map { property in
        guard property.name == rename.from else { return property }
        return Property(
          name: rename.to, storedName: property.storedName, type: property.type, index: property.index,
          defaultValue: property.defaultValue, constraints: property.constraints)
      }, primaryKey: primaryKey?.name == rename.from ? rename.to : primaryKey?.name, indexes: indexes
    ).projected(projections).constrained(by: constraints)
  }
}

extension Schema {
  /// The schema with one property under another name, also where linking objects name it.
  public func renaming(_ rename: PropertyRename) -> Schema {
    Schema(
      objectTypes.map { type in
        let renamed = type.name == rename.objectType ? type.renaming(rename) : type
        return ObjectType(
          name: renamed.name, kind: renamed.kind,
          properties: renamed.properties.map { $0.following(rename) }, primaryKey: renamed.primaryKey?.name,
          indexes: renamed.indexes
        ).projected(renamed.projections).constrained(by: renamed.constraints)
      })
  }
}

extension Property {
  fileprivate func following(_ rename: PropertyRename) -> Property {
    guard case .linkingObjects(rename.objectType, rename.from) = type else { return self }
    return Property(
      name: name, storedName: storedName,
      type: .linkingObjects(objectType: rename.objectType, property: rename.to), index: index,
      defaultValue: defaultValue, constraints: constraints)
  }
}
