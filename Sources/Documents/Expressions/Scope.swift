public import GatehouseBSON

/// All that an expression can name: the document, and the variables.
public struct Scope {
  /// `$$ROOT`.
  var root: Document
  /// `$$CURRENT`, where it is another value than the root.
  var current: Value?
  /// Variables by name; a missing value is nil in the table.
  var variables: [String: Value?] = [:]
  /// `$$NOW`.
  public var now: Date
  /// The paths of the texts in which `$text` looks for words; nil: the documents have no text index.
  public var textPaths: [[String]]?
  /// Loops over arrays count their steps in it.
  let budget: Budget

  public init(
    root: Document = Document(), now: Date, variables: [String: Value] = [:], budget: Budget = Budget()
  ) {
    self.root = root
    self.now = now
    self.budget = budget
    self.variables = variables.mapValues { $0 }
  }

  /// The same for another document.
  func with(root: Document) -> Scope {
    var scope = self
    scope.root = root
    scope.current = nil
    return scope
  }

  func value(at path: [String]) -> Value? {
    if let current { return current.value(at: path) }
    return root.value(at: path)
  }

  func variable(_ name: String) -> Value? {
    switch name {
    case "ROOT": .document(root)
    case "CURRENT": current ?? .document(root)
    case "NOW": .date(now)
    default: variables[name] ?? nil
    }
  }

  mutating func bind(_ name: String, to value: Value?) {
    if name == "CURRENT" { current = value } else { variables.updateValue(value, forKey: name) }
  }
}
