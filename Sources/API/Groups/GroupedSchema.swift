import GatehouseAudit
import GatehouseBSON
import GatehouseModel

/// The classes of a schema that a client sends, by the groups that they are in.
struct GroupedSchema {
  private let parts: [String: [Value]]
  /// All of it; nil: it is no schema, as whoever applies a part of it will tell.
  let schema: Schema?

  init(_ content: Value, _ groups: ClassGroups) {
    let notations = if case .array(let values) = content { values } else { [content] }
    parts = Dictionary(grouping: notations) { notation in
      guard case .document(let members) = notation, case .string(let name)? = members["name"] else {
        return ClassGroups.main
      }
      return groups.group(of: name)
    }
    let types = notations.map { try? ObjectType(notation: $0) }
    schema = types.contains { $0 == nil } ? nil : Schema(types.compactMap(\.self))
  }

  /// The classes of a group.
  subscript(group: String) -> [Value] { parts[group] ?? [] }

  /// Whether the classes of a group are others than those that are there, or none that can be.
  func changes(_ present: Schema, ofGroup name: String) -> Bool {
    guard let schema = try? Schema(notation: .array(self[name])) else { return true }
    return !present.withoutTrail.difference(to: schema.withoutTrail).changes.isEmpty
  }
}

extension Schema {
  /// The schema without the class of the audit trail, which is the recorder's.
  var withoutTrail: Schema {
    Schema(objectTypes.filter { $0.name != StoredEvent.className })
  }
}

extension GroupPlace {
  /// Throws ``GroupError/link(objectType:property:target:)`` where one of the classes, as somebody has written them, has links to or from
  /// another group's.
  func requireOwnLinks(in notations: [Value]) throws(GroupError) {
    for type in notations.compactMap({ try? ObjectType(notation: $0) }) {
      for property in type.properties {
        guard let target = property.type.neighbour, !contains(target) else { continue }
        throw .link(objectType: type.name, property: property.name, target: target)
      }
    }
  }
}

extension GroupPlace {
  /// Throws ``GroupError/unshardable(objectType:_:)`` where the group is divided into shards and one of the classes, as somebody has
  /// written them, cannot be.
  func requireShardable(_ notations: [Value]) throws(GroupError) {
    guard shard != nil else { return }
    for type in notations.compactMap({ try? ObjectType(notation: $0) }) where contains(type.name) {
      if !type.isEmbedded, !type.hasShardKey { throw .unshardable(objectType: type.name, .primaryKey) }
      for property in type.properties where property.type.linksToOthers(within: notations) {
        throw .unshardable(objectType: type.name, .links(property: property.name))
      }
      if let key = type.uniqueKeys.first, let name = type.names(at: key).first {
        throw .unshardable(objectType: type.name, .uniqueKey(property: name))
      }
    }
  }
}

extension ObjectType {
  /// Whether its primary key tells the shard of an object: numbers that are equal in a key of any type have different bytes.
  fileprivate var hasShardKey: Bool {
    guard let primaryKey, !countsPrimaryKeys else { return false }
    switch primaryKey.type.stored?.element {
    case .int?, .string?, .objectID?, .uuid?: return true
    default: return false
    }
  }
}

extension PropertyType {
  /// Whether it leads to objects that are not a part of the object itself.
  fileprivate func linksToOthers(within notations: [Value]) -> Bool {
    if case .linkingObjects = self { return true }
    if stored?.element == .mixed { return false }
    guard let linkTarget else { return false }
    let target = notations.compactMap { try? ObjectType(notation: $0) }.first { $0.name == linkTarget }
    return target?.isEmbedded == false
  }
}

extension PropertyType {
  /// The class to which links lead, or from which they come; nil: there are none.
  fileprivate var neighbour: String? {
    if case .linkingObjects(let objectType, _) = self { objectType } else { linkTarget }
  }
}
