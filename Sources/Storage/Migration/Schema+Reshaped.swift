import GatehouseModel

extension Schema {
  /// The classes whose objects show something else in this schema than in an earlier one, though nobody wrote them:
  /// their properties are others, or those of objects embedded in them, or the primary keys of classes they link to.
  ///
  /// Mixed values show the names of classes that they link to.
  func reshaped(since before: Schema, renaming renames: [ClassRename] = []) -> Set<String> {
    let before = renames.reduce(before) { $0.renaming($1) }
    var reshaped: Set<String> = []
    if !renames.isEmpty {
      for type in objectTypes where type.properties.contains(where: { $0.type.stored?.element == .mixed }) {
        reshaped.insert(type.name)
      }
    }
    var foreign: Set<String> = []
    for type in objectTypes {
      guard let old = before[type.name] else { continue }
      if !type.showsSame(as: old) { reshaped.insert(type.name) }
      if type.primaryKey?.type != old.primaryKey?.type { foreign.insert(type.name) }
    }
    // Embedded objects may hold others.
    var count = -1
    while count < reshaped.count {
      count = reshaped.count
      for type in objectTypes where !reshaped.contains(type.name) && before[type.name] != nil {
        let isReshaped = type.properties.contains { property in
          guard let target = property.type.linkTarget else { return false }
          return foreign.contains(target) || self[target]?.isEmbedded == true && reshaped.contains(target)
        }
        if isReshaped { reshaped.insert(type.name) }
      }
    }
    return reshaped
  }
}

extension ObjectType {
  fileprivate func showsSame(as other: ObjectType) -> Bool {
    properties.elementsEqual(other.properties) { $0.name == $1.name && $0.type == $1.type }
  }
}
