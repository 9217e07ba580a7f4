import GatehouseModel

/// A link to an object that is not created yet: a forward reference, as in assemblers and deferred foreign keys.
///
/// Objects are listed in the order of their keys, so an object gets its key when its turn comes, and not when it is
/// first mentioned. Until then links to it hold a key that no object has, a negative one.
struct ForwardReference {
  /// A property that holds links.
  struct Place: Hashable {
    let table: Int
    let property: Int
  }

  let key: Int64
  /// The operation that linked to it first.
  let operation: Int
  /// Where the links to it are.
  var places: [Place] = []

  /// Whether the key is not the one that the object will have.
  var isPlaceholder: Bool { key < 0 }
}

/// The objects that a transaction must still create, since something links to them.
struct ForwardReferences {
  /// An object that is linked to, but not created yet.
  struct Target: Hashable {
    let table: Int
    let identifier: Mixed
  }

  private var references: [Target: ForwardReference] = [:]
  /// The number of placeholders given out so far.
  private var placeholders: Int64 = 0

  var isEmpty: Bool { references.isEmpty }

  subscript(target: Target) -> ForwardReference? {
    get { references[target] }
    set {
      precondition(newValue.map { $0.key >= -placeholders } ?? true, "a placeholder was given out")
      references[target] = newValue
    }
  }

  /// Returns a reference with a key that no other reference of the transaction has.
  mutating func makePlaceholder(operation: Int) -> ForwardReference {
    placeholders += 1
    return ForwardReference(key: -placeholders, operation: operation)
  }

  /// Removes the reference to an object that is being created.
  mutating func take(_ target: Target) -> ForwardReference? {
    if references.isEmpty { return nil }
    let reference = references.removeValue(forKey: target)
    precondition(reference.map { $0.key >= -placeholders } ?? true, "a placeholder was given out")
    return reference
  }

  /// Returns the object that was linked to first of those that were not created.
  var first: (target: Target, operation: Int)? {
    references.min { ($0.value.operation, $0.value.key) < ($1.value.operation, $1.value.key) }
      .map { ($0.key, $0.value.operation) }
  }

  mutating func removeAll() {
    references = [:]
    placeholders = 0
  }
}
