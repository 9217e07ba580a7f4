public import GatehouseBSON

/// A filter of MongoDB's query language, parsed and checked.
public struct Filter: Sendable {
  /// A condition. A path leads to the values that a test is made on, through arrays as well; one without components is
  /// the value itself.
  indirect enum Node: Sendable {
    case all([Node])
    case any([Node])
    case not(Node)
    case test([String], ValueTest)
    case expression(Expression)
    /// Words in the texts that ``Scope/textPaths`` lead to.
    case text(TextSearch)
  }

  /// A condition on distances, which orders what is found as well.
  struct Near: Sendable {
    let path: [String]
    let near: GeoNear
  }

  let root: Node
  /// Nil: it has no such condition.
  let near: Near?
  /// Whether it looks at the document by nothing but an expression or a schema at its top.
  let needsScope: Bool

  /// Whether it asks for words.
  public var searchesText: Bool { root.searchesText }

  /// Whether there are expressions in it, which may take any time for a document.
  public var hasExpressions: Bool { needsScope }

  /// - Parameter variables: names of `$$` that `$expr` may use beside those of the system.
  public init(_ document: Document, variables: Set<String> = []) throws(DocumentsError) {
    var parser = FilterParser(variables: variables)
    root = try parser.parse(document)
    needsScope = parser.hasExpressions
    near = parser.near
  }

  init(root: Node, needsScope: Bool, near: Near? = nil) {
    self.root = root
    self.near = near
    self.needsScope = needsScope
  }

  /// Matches every document.
  public static let everything = Filter(root: .all([]), needsScope: false)

  /// Whether the document satisfies it.
  ///
  /// - Parameter scope: the variables that `$expr` may name.
  public func matches(_ document: Document, in scope: Scope) throws(DocumentsError) -> Bool {
    var matching = FilterMatching(scope: needsScope ? scope.with(root: document) : scope)
    return try matching.holds(root, for: .document(document))
  }

  /// Whether the document satisfies it, and the place in the first array on a matching path: the `$` of updates.
  func match(_ document: Document, in scope: Scope) throws(DocumentsError) -> (holds: Bool, position: Int?) {
    var matching = FilterMatching(scope: scope.with(root: document))
    let holds = try matching.holds(root, for: .document(document))
    return (holds, matching.position)
  }
}

extension Filter.Node {
  fileprivate var searchesText: Bool {
    switch self {
    case .text: true
    case .all(let nodes), .any(let nodes): nodes.contains(where: \.searchesText)
    case .not(let node): node.searchesText
    case .test, .expression: false
    }
  }
}
