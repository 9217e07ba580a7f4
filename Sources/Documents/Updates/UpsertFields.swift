import GatehouseBSON

/// The fields that a filter demands to be equal to something, of which an upsert makes its document.
struct UpsertFields {
  private(set) var document = Document()
  private var paths: Set<String> = []
  /// The paths on the way to them, each with one that leads through it.
  private var prefixes: [String: String] = [:]

  /// - Parameter onlyID: whether only the identifier counts: the rest comes from a replacement.
  init(_ filter: Filter, onlyID: Bool) throws(DocumentsError) {
    try add(filter.root, onlyID: onlyID)
  }

  private mutating func add(_ node: Filter.Node, onlyID: Bool) throws(DocumentsError) {
    switch node {
    case .all(let nodes): for node in nodes { try add(node, onlyID: onlyID) }
    case .any(let nodes): if nodes.count == 1 { try add(nodes[0], onlyID: onlyID) }
    case .test(let path, .compare(.equal, let value)):
      if onlyID, path != ["_id"] { return }
      try add(value, at: path)
    case .not, .expression, .test, .text: break
    }
  }

  private mutating func add(_ value: Value, at path: [String]) throws(DocumentsError) {
    let text = path.joined(separator: ".")
    if paths.contains(text) {
      throw DocumentsError(
        .notSingleValueField, "cannot infer query fields to set, path '\(text)' is matched twice")
    }
    if let other = prefixes[text] { throw Self.conflict(text, other) }
    for count in path.indices.dropFirst() {
      let prefix = path[..<count].joined(separator: ".")
      if paths.contains(prefix) { throw Self.conflict(text, prefix) }
      prefixes[prefix] = text
    }
    paths.insert(text)
    precondition(prefixes[text] == nil, "no field that is set is on the way to another one")
    document = Lookup.setting(value, at: path[...], of: document)
  }

  private static func conflict(_ text: String, _ other: String) -> DocumentsError {
    DocumentsError(
      .notSingleValueField,
      "cannot infer query fields to set, both paths '\(text)' and '\(other)' are matched")
  }
}
