import GatehouseBSON
import GatehouseFeeds
import GatehouseStorage

extension Document {
  /// The change event that a function is given, as MongoDB's change streams have it ("Change Events").
  init(_ change: ChangeReader.Change, id: String, for watched: WatchedChanges) {
    self.init()
    append("_id", .document(["_data": .string(id)]))
    append("operationType", .string(change.isReplacement ? "replace" : change.operation.name))
    append("wallTime", .date(change.time))
    append("ns", .document(["db": .string(watched.database), "coll": .string(change.objectType)]))
    append("documentKey", .document(["_id": change.id]))
    let showsObject = change.operation == .insert || change.isReplacement || watched.showsObject
    if showsObject, let after = change.after { append("fullDocument", .document(after)) }
    if watched.showsObjectBefore, change.operation != .insert {
      append("fullDocumentBeforeChange", change.before.map { .document($0) } ?? .null)
    }
    guard change.operation == .update, !change.isReplacement else { return }
    var fields = Document()
    var removed: [Value] = []
    for name in change.changed {
      if let value = change.after?[name] { fields.append(name, value) } else { removed.append(.string(name)) }
    }
    append(
      "updateDescription",
      .document([
        "updatedFields": .document(fields), "removedFields": .array(removed), "truncatedArrays": .array([]),
      ]))
  }
}

extension LoggedChange.Operation {
  fileprivate var name: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    case .schema: "modify"
    }
  }
}

extension WatchedChanges {
  /// Whether the trigger is called for a change of that kind.
  func includes(_ change: ChangeReader.Change) -> Bool {
    switch change.operation {
    case .insert: operations.contains(.insert)
    case .update: operations.contains(change.isReplacement ? .replace : .update)
    case .delete: operations.contains(.delete)
    case .schema: false
    }
  }
}
