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

  /// Whether the Realm was not invalidated since the results were asked for.
  private var isCurrent: Bool { epoch == resultsContext.epoch }

  /// The query, or nothing where the Realm was invalidated.
  var source: CollectionSource<Element> {
    if isCurrent { return .managed(resultsContext, results) }
    return .managed(
      resultsContext, LiveResults(.elements([]), of: results.objectType, in: resultsContext.live))
  }

  func check() { resultsContext.check() }

  var isGone: Bool { !isCurrent || !results.isValid }

  func moved(to context: RealmContext) -> Results? { Results(context, results.in(context.live)) }

  public subscript(position: Int) -> Element { element(at: position) }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { describe("Results", to: levels) }

  public static func == (lhs: Results<Element>, rhs: Results<Element>) -> Bool {
    lhs.results === rhs.results
      || lhs.resultsContext === rhs.resultsContext && lhs.results.source == rhs.results.source
        && lhs.results.steps == rhs.results.steps
  }
}

extension Results: _ObjcBridgeable {}

extension Results: Encodable where Element: Encodable {}
