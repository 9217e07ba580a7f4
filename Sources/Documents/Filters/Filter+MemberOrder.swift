import GatehouseBSON
import GatehouseModel

// A document that is compared with one whose members a store has put into bytewise order of their names has to have that order.
extension Filter {
  /// The filter for documents in which members of documents are in bytewise order of their names, whatever order the filter has.
  public var inMemberOrder: Filter {
    Filter(root: root.inMemberOrder, needsScope: needsScope, near: near)
  }
}

extension Filter.Node {
  /// The condition on documents in that order.
  var inMemberOrder: Filter.Node {
    switch self {
    case .all(let nodes): .all(nodes.map(\.inMemberOrder))
    case .any(let nodes): .any(nodes.map(\.inMemberOrder))
    case .not(let node): .not(node.inMemberOrder)
    case .test(let path, let test): .test(path, test.inMemberOrder)
    case .expression, .text: self
    }
  }
}

extension ValueTest {
  fileprivate var inMemberOrder: ValueTest {
    switch self {
    case .compare(let relation, let value): .compare(relation, value.inMemberOrder)
    case .among(let set):
      .among(ValueSet(set.values.map(\.inMemberOrder), patterns: set.patterns))
    case .elementDocument(let node): .elementDocument(node.inMemberOrder)
    case .element(let node): .element(node.inMemberOrder)
    case .exists, .hasType, .matches, .modulo, .bits, .size, .schema, .geo, .near: self
    }
  }
}

extension Value {
  /// The value with members of documents in that order.
  var inMemberOrder: Value {
    switch self {
    case .array(let values): return .array(values.map(\.inMemberOrder))
    case .document(let document):
      let members = document.elements.map { Document.Element(key: $0.key, value: $0.value.inMemberOrder) }
      return .document(Document(members.sorted { $0.key.compareBytes($1.key) < 0 }))
    default: return self
    }
  }
}
