import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The objects, or values, that a query leaves, in the state that the Realm is in.
public struct Results<Element: RealmCollectionValue>: Equatable, RealmCollectionImpl {
  let resultsContext: RealmContext
  let results: LiveResults
  private let epoch: Int

  init(_ context: RealmContext, _ results: LiveResults) {
    resultsContext = context
    self.results = results
    epoch = context.epoch
  }

  init(_ context: RealmContext, of managed: ManagedClass) {
    let name = managed.schema.className
    self.init(context, LiveResults(.objectType(name), of: name, in: context.live))
  }

  var source: CollectionSource<Element> { .managed(resultsContext, results) }

  func check() {
    resultsContext.check()
    if epoch != resultsContext.epoch, resultsContext.live.isFrozen {
      fatalError("Access to invalidated Results objects")
    }
  }

  var isGone: Bool { !results.isValid }

  func moved(to context: RealmContext) -> Results? { Results(context, results.in(context.live)) }

  public subscript(position: Int) -> Element { element(at: position) }

  public var description: String { describe("Results") }

  public static func == (lhs: Results<Element>, rhs: Results<Element>) -> Bool {
    lhs.results === rhs.results
      || lhs.resultsContext === rhs.resultsContext && lhs.results.source == rhs.results.source
        && lhs.results.steps == rhs.results.steps
  }
}

extension Results: _ObjcBridgeable {}

extension Results: Encodable where Element: Encodable {}
