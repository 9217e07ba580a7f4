import GatehouseBSON
public import GatehouseModel
public import GatehouseStorage

extension AccessControl {
  /// Returns what has to change of the keys and roles that a store keeps where classes get other names: whoever had rights in a class has
  /// them in the same objects, and nobody else.
  public static func records(
    renaming renames: [ClassRename], in store: Store
  ) throws(StorageError) -> [RecordChange] {
    guard !renames.isEmpty else { return [] }
    let reader = try store.makeReader()
    let keys = try reader.records(kind).map { ($0.name, $0.value) }
    let roles = try reader.record(policy).map { [(policy, $0)] } ?? []
    var changes: [RecordChange] = []
    for (name, value) in keys + roles {
      guard let document = try? Document(bson: value) else { throw .corrupt("key or role") }
      let renamed = renames.reduce(document) {
        name == policy ? $0.renamingClasses($1) : $0.renamingClass($1)
      }
      guard renamed != document, let bytes = try? renamed.bson() else { continue }
      changes.append(RecordChange(name, bytes, expecting: .value(value)))
    }
    return changes
  }
}

extension Document {
  /// The roles with a class under its new name. What a role says of the new name is of a class that is gone.
  fileprivate func renamingClasses(_ rename: ClassRename) -> Document {
    mappingValues { role in
      role.key == "classes"
        ? role.value.mappingMembers { members in
          guard members[rename.from] != nil else { return members }
          return Document(
            members.elements.filter { $0.key != rename.to }.map {
              $0.key == rename.from ? Element(key: rename.to, value: $0.value) : $0
            })
        } : role.value
    }
  }

  /// The key, with a class that it is for under its new name.
  fileprivate func renamingClass(_ rename: ClassRename) -> Document {
    Document(
      elements.map { member in
        guard member.key == "classes", case .array(let names) = member.value else { return member }
        return Element(
          key: member.key,
          value: .array(names.map { $0 == .string(rename.from) ? .string(rename.to) : $0 }))
      })
  }

  /// The document with another value for each member of each of its documents.
  private func mappingValues(_ body: (Element) -> Value) -> Document {
    Document(
      elements.map { role in
        Element(
          key: role.key,
          value: role.value.mappingMembers { members in
            Document(members.elements.map { Element(key: $0.key, value: body($0)) })
          })
      })
  }
}

extension Value {
  fileprivate func mappingMembers(_ body: (Document) -> Document) -> Value {
    if case .document(let members) = self { .document(body(members)) } else { self }
  }
}
