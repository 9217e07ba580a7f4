import GatehouseBSON

/// `$lookup`: documents of another collection, by equal fields, by a pipeline, or both.
struct Lookup: Sendable {
  /// Nil where the pipeline begins with documents of its own.
  let source: Pipeline.Source?
  let name: [String]
  /// The fields that have to be equal.
  let fields: (local: [String], foreign: [String])?
  let bindings: [Expression.Member]
  let stages: [Stage]

  func apply(to document: Document, in context: PipelineContext) throws(DocumentsError) -> Document {
    var inner = context
    let scope = context.scope.with(root: document)
    for binding in bindings { inner.scope.bind(binding.name, to: try binding.expression.value(in: scope)) }
    var cursor: any DocumentCursor = DocumentList([])
    if let source { cursor = try inner.documents(of: source, filter: filter(for: document)) }
    let results = try Stage.run(stages, over: cursor, in: inner).rest(charging: context.budget)
    let value = Value.array(results.map { .document($0) })
    // The documents go on to the next stage: whoever keeps them charges for them.
    for result in results { context.budget.release(result.memory) }
    return Self.setting(value, at: name[...], of: document)
  }

  /// Each element of an array is looked for; what is missing is null.
  private func filter(for document: Document) -> Filter? {
    guard let fields else { return nil }
    let value = document.value(at: fields.local) ?? .null
    let test: ValueTest =
      switch value {
      case .array(let values): .among(ValueSet(values, patterns: []))
      default: .among(ValueSet([value], patterns: []))
      }
    return Filter(root: .test(fields.foreign, test), needsScope: false)
  }

  static func setting(_ value: Value, at path: ArraySlice<String>, of document: Document) -> Document {
    guard let name = path.first else { return document }
    var result = document
    if path.count == 1 {
      result.set(name, value)
    } else {
      let inner = result[name]?.asDocument ?? Document()
      result.set(name, .document(setting(value, at: path.dropFirst(), of: inner)))
    }
    return result
  }
}

/// `$graphLookup`: documents that are reached by links from one to the next, each once.
struct GraphLookup: Sendable {
  let source: Pipeline.Source
  let start: Expression
  let from: [String]
  let to: [String]
  let name: [String]
  let depthName: [String]?
  let depth: Int
  let filter: Filter?

  func apply(to document: Document, in context: PipelineContext) throws(DocumentsError) -> Document {
    var values = Self.elements(try start.value(in: context.scope.with(root: document)))
    var asked = Set(values.map { ValueKey($0) })
    var seen: Set<ValueKey> = []
    var (results, level): ([Document], Int) = ([], 0)
    while !values.isEmpty, level <= depth {
      let test = Filter.Node.test(to, .among(ValueSet(values, patterns: [])))
      let wanted = Filter(
        root: filter.map { .all([test, $0.root]) } ?? test, needsScope: filter?.needsScope ?? false)
      let cursor = try context.documents(of: source, filter: wanted)
      values = []
      while let found = try cursor.next() {
        guard seen.insert(ValueKey(found["_id"] ?? .document(found))).inserted else { continue }
        var result = found
        if let depthName { result = Lookup.setting(.int64(Int64(level)), at: depthName[...], of: found) }
        try context.budget.charge(result.memory)
        results.append(result)
        for value in Self.elements(found.value(at: from)) where asked.insert(ValueKey(value)).inserted {
          values.append(value)
        }
      }
      level += 1
    }
    precondition(seen.count == results.count, "a document is reached once")
    for result in results { context.budget.release(result.memory) }
    return Lookup.setting(.array(results.map { .document($0) }), at: name[...], of: document)
  }

  private static func elements(_ value: Value?) -> [Value] {
    guard let value else { return [] }
    return value.asArray ?? [value]
  }
}
