public import Dispatch
import GatehouseLive
import GatehouseModel

/// The values that a key path leads to from the objects of a collection.
public struct ProjectedCollection<Element>: RandomAccessCollection, CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue {
  public typealias Index = Int

  /// The collection of objects, of which the type is not known here.
  private struct Base {
    let count: () -> Int
    let value: (Int) -> Element
    let set: (Int, Element) -> Void
    let confined: () -> any ThreadConfined
    let frozen: () -> ProjectedCollection
    let thawed: () -> ProjectedCollection?
    let match: (RealmPredicate) -> Int?
    let observe:
      ([String]?, DispatchQueue?, @escaping (RealmCollectionChange<ProjectedCollection>) -> Void)
        -> NotificationToken
  }

  private let base: Base

  init<C: RealmCollection>(_ collection: C, _ keyPath: KeyPath<C.Element, Element>)
  where C.Index == Int, C.Element: ObjectBase {
    let name = _name(for: keyPath)
    base = Base(
      count: { collection.count }, value: { collection[$0][keyPath: keyPath] },
      set: { index, value in collection[index].setValue(value._rlmAny, forKey: name) },
      confined: { collection },
      frozen: { ProjectedCollection(collection.freeze(), keyPath) },
      thawed: { collection.thaw().map { ProjectedCollection($0, keyPath) } },
      match: { collection.index(matching: $0) },
      observe: { keyPaths, queue, block in
        collection.observe(keyPaths: keyPaths ?? [name], on: queue) { change in
          switch change {
          case .initial(let collection): block(.initial(ProjectedCollection(collection, keyPath)))
          case .update(let collection, let deletions, let insertions, let modifications):
            block(
              .update(
                ProjectedCollection(collection, keyPath), deletions: deletions, insertions: insertions,
                modifications: modifications))
          case .error(let error): block(.error(error))
          }
        }
      })
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { base.count() }

  /// The value of an object.
  public subscript(position: Int) -> Element {
    get { base.value(position) }
    nonmutating set { base.set(position, newValue) }
  }

  /// The place of the first object for which a predicate holds; nil: there is none.
  public func index(matching predicate: RealmPredicate) -> Int? { base.match(predicate) }

  /// The place of the first object that has the value; nil: there is none.
  public func index(of object: Element) -> Int? { firstIndex(of: object) }

  /// Tells of the values, and then of changes of the collection, until the token is invalidated.
  public func observe(
    on queue: DispatchQueue?,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
  ) -> NotificationToken {
    base.observe(nil, queue, block)
  }

  /// Tells of the values, and then of changes of the collection, until the token is invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
  ) -> NotificationToken {
    base.observe(keyPaths, queue, block)
  }

  public var realm: Realm? { base.confined().realm }
  public var isInvalidated: Bool { base.confined().isInvalidated }
  public var isFrozen: Bool { base.confined().isFrozen }
  public func freeze() -> Self { base.frozen() }
  public func thaw() -> Self? { base.thawed() }

  public var description: String { "ProjectedCollection<\(Element.self)> {\n\(Array(self))\n}" }
}

/// Makes collections of the values of objects' properties.
@dynamicMemberLookup
public struct CollectionElementMapper<Element> where Element: ObjectBase & RealmCollectionValue {
  private enum Source {
    case list(List<Element>)
    case set(MutableSet<Element>)
  }

  private let source: Source

  init(_ list: List<Element>) { source = .list(list) }

  init(_ set: MutableSet<Element>) { source = .set(set) }

  /// The values of a property.
  public subscript<V>(dynamicMember member: KeyPath<Element, V>) -> ProjectedCollection<V> {
    switch source {
    case .list(let list): ProjectedCollection(list, member)
    case .set(let set): ProjectedCollection(set, member)
    }
  }
}

extension List where Element: ObjectBase & RealmCollectionValue {
  /// The values of the objects' properties.
  public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension MutableSet where Element: ObjectBase & RealmCollectionValue {
  /// The values of the objects' properties.
  public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}
