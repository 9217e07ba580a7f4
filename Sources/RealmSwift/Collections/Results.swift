import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The objects, or values, that a query leaves, in the state that the Realm is in.
public struct Results<Element: RealmCollectionValue>: Equatable, RealmCollectionImpl {
  /// A query in a Realm.
  private struct Content {
    let context: RealmContext
    let live: LiveResults
    /// The number of times that the Realm had been invalidated when the results were asked for.
    let epoch: Int
  }

  /// Nil where the results are those of what links to an unmanaged object: none.
  private let content: Content?

  init(_ context: RealmContext, _ live: LiveResults) {
    content = Content(context: context, live: live, epoch: context.epoch)
  }

  init(_ context: RealmContext, of managed: ManagedClass) {
    let name = managed.schema.className
    self.init(context, LiveResults(.objectType(name), of: name, in: context.live))
  }

  /// The results of what links to an unmanaged object.
  init() { content = nil }

  var isDetached: Bool { content == nil }

  /// The query, or nothing where the Realm was invalidated.
  var source: CollectionSource<Element> {
    guard let content else { return .unmanaged([]) }
    if content.epoch == content.context.epoch { return .managed(content.context, content.live) }
    return .managed(
      content.context,
      LiveResults(.elements([]), of: content.live.objectType, in: content.context.live))
  }

  func check() { content?.context.check() }

  var isGone: Bool {
    guard let content else { return false }
    return content.epoch != content.context.epoch || !content.live.isValid
  }

  func moved(to context: RealmContext) -> Results? {
    content.map { Results(context, $0.live.in(context.live)) }
  }

  public subscript(position: Int) -> Element { element(at: position) }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { describe("Results", to: levels) }

  public static func == (lhs: Results<Element>, rhs: Results<Element>) -> Bool {
    guard let left = lhs.content, let right = rhs.content else { return lhs.isDetached && rhs.isDetached }
    return left.live === right.live
      || left.context === right.context && left.live.source == right.live.source
        && left.live.steps == right.live.steps
  }
}

extension Results: _ObjcBridgeable {}

extension Results: Encodable where Element: Encodable {}
