/// What stands for an object that is linked to, but not created yet.
///
/// Objects are listed in the order of their keys, so that one gets its key when its turn comes, and not when it is first
/// mentioned. Until then links to it hold a key that no object has, a negative one.
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
