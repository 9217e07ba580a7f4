import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import Testing

@testable import GatehouseQuery

/// `a < b` and `b > a` are one question: both are refused, or both have the same answer.
@Suite struct MirrorTests {
  @Test(arguments: ((try? Corpus())?.datasets ?? []) + (try Corpus.own().datasets))
  func `the corpus' comparisons are answered as their mirrors are`(_ dataset: Dataset) throws {
    let graph = ObjectGraph(dataset)
    for example in dataset.cases where !example.tags.contains("internal_key") {
      check(example.query, example.arguments, example.objectType, graph)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `random comparisons are answered as their mirrors are`(seed: UInt64) {
    var random = RandomAllTypes(seed: seed)
    let graph = ObjectGraph(random.drafts(), of: "AllTypes", in: random.schema)
    for _ in 0..<100 { check(random.filter(), [], "AllTypes", graph) }
  }

  private func check(_ query: String, _ arguments: [Value], _ objectType: String, _ graph: ObjectGraph) {
    guard let tree = try? Parser.tree(of: query), let type = graph.schema[objectType] else { return }
    var binder = Binder(schema: graph.schema, arguments: arguments)
    let mirror = binder.mirror(of: tree.predicate, on: type)
    let answers = [tree.predicate, mirror].map { node in
      (try? binder.predicate(node, on: type)).map { predicate in
        graph.objects(objectType).filter { predicate.matches($0) }.map(\.key)
      }
    }
    #expect(answers[0] == answers[1], "\(query)")
  }
}

extension Binder {
  /// The predicate with the sides of all comparisons exchanged that have mirrors.
  fileprivate mutating func mirror(of node: SyntaxTree.Node, on type: ObjectType) -> SyntaxTree.Node {
    switch node {
    case .and(let nodes): return .and(nodes.map { mirror(of: $0, on: type) })
    case .or(let nodes): return .or(nodes.map { mirror(of: $0, on: type) })
    case .not(let node): return .not(mirror(of: node, on: type))
    case .comparison(let left, var relation, let right):
      guard let kind = relation.kind.mirrored, commute(left, right, on: type) else { return node }
      relation.kind = kind
      return .comparison(right, relation, left)
    case .truth, .between, .text, .geoWithin: return node
    }
  }

  /// Whether it means the same which side is asked first: ALL of these have ANY of those is not ANY of those has ALL of
  /// these.
  private mutating func commute(_ left: SyntaxTree.Term, _ right: SyntaxTree.Term, on type: ObjectType)
    -> Bool
  {
    guard let left = try? bound(left, hint: nil, on: type),
      let right = try? bound(right, hint: nil, on: type),
      left.isMany, right.isMany
    else { return true }
    let quantifiers = (left.quantifier ?? .any, right.quantifier ?? .any)
    return quantifiers == (.any, .any) || quantifiers == (.all, .all)
  }
}

extension Token.Kind {
  fileprivate var mirrored: Token.Kind? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
