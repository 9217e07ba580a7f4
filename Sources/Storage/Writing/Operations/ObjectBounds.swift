import GatehouseBSON
import GatehouseModel

/// The bounds on the objects that a store may have.
struct ObjectBounds {
  /// The most bytes of an object; nil: any number.
  let size: Int?
  private let ownsKey: ((Mixed) -> Bool)?
  private let appendOnly: Set<String>

  init(_ options: StoreOptions) {
    (size, ownsKey, appendOnly) = (options.objectSize, options.ownsKey, options.appendOnlyClasses)
  }

  /// Returns the draft with a primary key that the store may have, where nobody has given it one. There are at most 64 stores that
  /// share the keys.
  func ownDraft(_ draft: ObjectDraft, of type: ObjectType) -> ObjectDraft {
    guard let ownsKey, let index = type.primaryKeyIndex, draft.generated.contains(index),
      let assignment = draft.assignments.first(where: { $0.property == index }),
      case .value(var id) = assignment.value
    else { return draft }
    for _ in 0..<10_000 where !ownsKey(id) {
      switch id {
      case .objectID: id = .objectID(.generate())
      case .uuid: id = .uuid(.random())
      default: return draft
      }
    }
    var draft = draft
    draft.assign(.value(id), to: index)
    return draft
  }

  /// Throws ``StorageError/keyOfOtherStore(objectType:id:)``.
  func requireOwn(_ id: Mixed?, of type: ObjectType) throws(StorageError) {
    guard let ownsKey, let id, !appendOnly.contains(type.name), !ownsKey(id) else { return }
    throw .keyOfOtherStore(objectType: type.name, id: id)
  }
}
