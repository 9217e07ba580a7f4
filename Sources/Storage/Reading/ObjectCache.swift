import Model
import Query

/// Objects of one reader as it wrote them last: plain JSON, all stored properties.
///
/// What an object shows depends on the object alone: on its row, its collections and embedded objects, each
/// change of which is a new version of the object, and on the primary keys of those that it links to, which
/// never change. So its version tells whether the bytes still hold; and as long as no object of the class
/// changed, not even that need be looked up.
struct ObjectCache {
  struct Entry {
    let key: Int64
    let version: Int64
    /// The last change of the class when the version was last known to be the object's.
    var checked: Int64
    let bytes: [UInt8]
  }

  private struct Identifier: Hashable {
    let table: Int
    let id: Mixed
  }

  private struct Key: Hashable {
    let table: Int
    let key: Int64
  }

  /// What an entry costs beside its bytes: the two dictionaries' shares, and the array's head.
  private static let overhead = 160

  private var byKey: GenerationalCache<Key, Entry>
  private var byIdentifier: GenerationalCache<Identifier, Entry>

  /// `budget` is in bytes.
  init(budget: Int) {
    byKey = GenerationalCache(budget: budget / 2)
    byIdentifier = GenerationalCache(budget: budget / 2)
  }

  subscript(table: Int, key key: Int64) -> Entry? {
    mutating get { byKey[Key(table: table, key: key)] }
    set {
      guard let newValue else { return }
      byKey.add(newValue, for: Key(table: table, key: key), cost: newValue.bytes.count + Self.overhead)
    }
  }

  subscript(table: Int, id id: Mixed) -> Entry? {
    mutating get { byIdentifier[Identifier(table: table, id: id)] }
    set {
      guard let newValue else { return }
      byIdentifier.add(
        newValue, for: Identifier(table: table, id: id), cost: newValue.bytes.count + Self.overhead)
    }
  }
}
