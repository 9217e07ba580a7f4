import GatehouseBSON

/// Applies the rules of a projection to one document.
struct Projector {
  let scope: Scope
  let isExclusion: Bool
  /// The place in an array that the filter matched.
  let position: Int?

  /// Appends the fields of a document that the rules let through, and those that they compute.
  func append(
    _ tree: PathTree<Projection.Rule>, of document: Document, to result: inout Document, isTop: Bool = false
  ) throws(DocumentsError) {
    for element in document.elements {
      guard let node = tree[element.key] else {
        if isExclusion { result.append(element.key, element.value) }
        continue
      }
      if isTop, result.index(of: element.key) != nil { continue }
      if let value = try project(element.value, node) { result.append(element.key, value) }
    }
    for member in tree.members {
      if case .leaf(.computed(let expression)) = member.node {
        result.remove(member.name)
        if let value = try expression.value(in: scope) { result.append(member.name, value) }
      } else if document.index(of: member.name) == nil, case .branch(let branch) = member.node,
        Self.computes(branch)
      {
        var inner = Document()
        try append(branch, of: Document(), to: &inner)
        result.append(member.name, .document(inner))
      }
    }
    if isTop, !isExclusion, let index = result.index(of: "_id"), index > 0 {
      result.elements.insert(result.elements.remove(at: index), at: 0)
    }
  }

  private static func computes(_ tree: PathTree<Projection.Rule>) -> Bool {
    tree.members.contains { member in
      switch member.node {
      case .leaf(.computed): true
      case .leaf: false
      case .branch(let branch): computes(branch)
      }
    }
  }

  /// The value of a field with a rule, or rules for what is in it; nil where it is left out.
  private func project(_ value: Value, _ node: PathTree<Projection.Rule>.Node) throws(DocumentsError)
    -> Value?
  {
    switch node {
    case .leaf(let rule): return try apply(rule, to: value)
    case .branch(let tree):
      switch value {
      case .document(let document):
        var result = Document()
        try append(tree, of: document, to: &result)
        return .document(result)
      case .array(let values):
        var results: [Value] = []
        for element in values {
          if let element = try project(element, node) { results.append(element) }
        }
        return .array(results)
      default:
        // Where fields are computed in it, a value gives way to a document.
        if Self.computes(tree) {
          var result = Document()
          try append(tree, of: Document(), to: &result)
          return .document(result)
        }
        return isExclusion ? value : nil
      }
    }
  }

  private func apply(_ rule: Projection.Rule, to value: Value) throws(DocumentsError) -> Value? {
    switch rule {
    case .include: return value
    case .exclude, .computed: return nil
    case .slice(let skip, let count):
      guard case .array(let values) = value else { return value }
      guard let skip else {
        return .array(Array(count < 0 ? values.suffix(-count) : values.prefix(count)))
      }
      let start = skip < 0 ? max(0, values.count + skip) : min(skip, values.count)
      return .array(Array(values[start...].prefix(count)))
    case .elementMatch(let filter):
      guard let values = value.asArray,
        let place = try filter.match(["values": value], in: scope).position, values.indices.contains(place)
      else { return nil }
      return .array([values[place]])
    case .positional:
      guard let values = value.asArray else { return value }
      guard let position, values.indices.contains(position) else {
        throw .at(
          51246,
          "Executor error during find command :: caused by :: positional operator '.$' element mismatch")
      }
      return .array([values[position]])
    }
  }
}
