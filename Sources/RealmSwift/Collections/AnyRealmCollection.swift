import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A collection of a Realm's values of any kind.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollectionImpl {
  /// The answers of the collection itself.
  private struct Base {
    let source: () -> CollectionSource<Element>
    let check: () -> Void
    let isGone: () -> Bool
    let moved: (RealmContext) -> AnyRealmCollection?
    let described: (_ levels: Int) -> String
    let className: String
    let isDetached: Bool
  }

  private let base: Base

  /// Wraps a collection.
  public init<C: RealmCollection & _ObjcBridgeable>(_ base: C) where C.Element == Element {
    guard let base = base as? any RealmCollectionImpl else {
      fatalError("Only the collections of Realms can be wrapped.")
    }
    self = AnyRealmCollection.wrapping(base)
  }

  private init(base: Base) { self.base = base }

  private static func wrapping<C: RealmCollectionImpl>(_ collection: C) -> AnyRealmCollection {
    AnyRealmCollection(
      base: Base(
        source: {
          switch collection.source {
          case .managed(let context, let live): .managed(context, live)
          // The collection has elements of this type.
          case .unmanaged(let elements): .unmanaged(elements as? [Element] ?? [])
          }
        }, check: { collection.check() }, isGone: { collection.isGone },
        moved: { collection.moved(to: $0).map { wrapping($0) } },
        described: { collection.described(to: $0) }, className: collection.className,
        isDetached: collection.isDetached))
  }

  var source: CollectionSource<Element> { base.source() }

  func check() { base.check() }

  var isGone: Bool { base.isGone() }

  func moved(to context: RealmContext) -> AnyRealmCollection? { base.moved(context) }

  public subscript(position: Int) -> Element { element(at: position) }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { base.described(levels) }

  var className: String { base.className }

  var isDetached: Bool { base.isDetached }

  public static func == (lhs: AnyRealmCollection<Element>, rhs: AnyRealmCollection<Element>) -> Bool {
    guard let left = lhs.live, let right = rhs.live else {
      return lhs.live == nil && rhs.live == nil && lhs.allElements == rhs.allElements
    }
    return left.source == right.source && left.steps == right.steps && left.realm === right.realm
  }
}

extension AnyRealmCollection: _ObjcBridgeable {}

extension AnyRealmCollection: Encodable where Element: Encodable {}
