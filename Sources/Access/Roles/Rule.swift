/// The condition on objects for a right of a role.
public enum Rule: Hashable, Sendable {
  case never
  case always
  /// The objects that match one of some filters in RQL, where `%%user.id` and the like stand for values of the caller.
  /// The rule of a role that an operator wrote has one.
  case when([String])

  /// The text by which a filter names the time of the request.
  static let time = "%%now"

  /// Whether the objects depend on the time of the request.
  var usesTime: Bool {
    guard case .when(let filters) = self else { return false }
    return filters.contains { $0.contains(Rule.time) }
  }

  /// Whether the rule is known to hold for each object for which the other does.
  func covers(_ other: Rule) -> Bool { self == .always || self == other }

  /// Returns the rule that holds where one of the rules does.
  static func any(of rules: [Rule]) -> Rule {
    if rules.contains(.always) { return .always }
    var filters: [String] = []
    for case .when(let more) in rules { filters += more.filter { !filters.contains($0) } }
    return filters.isEmpty ? .never : .when(filters)
  }

  /// Returns the rule that holds where both do.
  func and(_ other: Rule) -> Rule {
    switch (self, other) {
    case (.never, _), (_, .never): return .never
    case (.always, let rule), (let rule, .always): return rule
    case (.when(let left), .when(let right)):
      if left == right { return self }
      return .when(left.flatMap { filter in right.map { "(\(filter)) AND (\($0))" } })
    }
  }
}
