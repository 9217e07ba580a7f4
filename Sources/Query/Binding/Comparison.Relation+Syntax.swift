internal import GatehouseModel

extension Comparison.Relation {
  init(_ relation: SyntaxTree.Relation) {
    switch relation.kind {
    case .notEqual: self = .notEqual(caseSensitive: relation.caseSensitive)
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .beginsWith: self = .beginsWith(caseSensitive: relation.caseSensitive)
    case .endsWith: self = .endsWith(caseSensitive: relation.caseSensitive)
    case .contains: self = .contains(caseSensitive: relation.caseSensitive)
    case .like: self = .like(caseSensitive: relation.caseSensitive)
    default: self = .equal(caseSensitive: relation.caseSensitive)
    }
  }
}
