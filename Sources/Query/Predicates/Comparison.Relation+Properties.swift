extension Comparison.Relation {
  /// Whether it looks into strings or data.
  var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }

  var isEquality: Bool {
    switch self {
    case .equal, .notEqual: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains, .like: false
    }
  }

  var isCaseSensitive: Bool {
    switch self {
    case .equal(let sensitive), .notEqual(let sensitive), .beginsWith(let sensitive),
      .endsWith(let sensitive),
      .contains(let sensitive), .like(let sensitive):
      sensitive
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    }
  }

  /// The relation of the right side to the left; string operators have none.
  var mirrored: Comparison.Relation {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: self
    }
  }

  /// The spelling in the language.
  var word: String {
    switch self {
    case .equal(let caseSensitive): "==" + (caseSensitive ? "" : "[c]")
    case .notEqual(let caseSensitive): "!=" + (caseSensitive ? "" : "[c]")
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .beginsWith(let caseSensitive): "BEGINSWITH" + (caseSensitive ? "" : "[c]")
    case .endsWith(let caseSensitive): "ENDSWITH" + (caseSensitive ? "" : "[c]")
    case .contains(let caseSensitive): "CONTAINS" + (caseSensitive ? "" : "[c]")
    case .like(let caseSensitive): "LIKE" + (caseSensitive ? "" : "[c]")
    }
  }
}
