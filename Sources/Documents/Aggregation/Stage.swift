import GatehouseBSON

/// One stage of a pipeline.
indirect enum Stage: Sendable {
  case match(Filter)
  case project(Projection)
  case assign(FieldAssignment)
  case replaceRoot(Expression, String)
  case redact(Expression)
  case unwind(Unwind)
  case limit(Int)
  case skip(Int)
  /// With the most documents that are wanted, where a limit follows.
  case sort(SortPattern, limit: Int?)
  case group(Grouping)
  case count(String)
  case bucketAuto(BucketAuto)
  case facet([Facet])
  case lookup(Lookup)
  case graphLookup(GraphLookup)
  case union(Pipeline.Source?, [Stage])
  case sample(Int)
  case window(WindowFields)
  case densify(Densify)
  case geoNear(GeoNearStage)
  case documents(Expression)

  /// A pipeline of `$facet`.
  struct Facet: Sendable {
    let name: String
    let stages: [Stage]
  }

  /// The collections that it reads.
  var sources: [Pipeline.Source] {
    switch self {
    case .lookup(let lookup): (lookup.source.map { [$0] } ?? []) + lookup.stages.flatMap(\.sources)
    case .graphLookup(let lookup): [lookup.source]
    case .union(let source, let stages): (source.map { [$0] } ?? []) + stages.flatMap(\.sources)
    case .facet(let facets): facets.flatMap { $0.stages.flatMap(\.sources) }
    default: []
    }
  }

  /// Puts the cursors of stages one upon the other.
  static func run(
    _ stages: [Stage], over input: any DocumentCursor, in context: PipelineContext
  ) throws(DocumentsError) -> any DocumentCursor {
    var cursor = input
    for stage in stages { cursor = stage.cursor(over: cursor, context) }
    return cursor
  }

  /// The documents of the stage, made of those of the stage before as they are asked for.
  private func cursor(over input: any DocumentCursor, _ context: PipelineContext) -> any DocumentCursor {
    switch self {
    case .match(let filter):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try filter.matches(document, in: context.scope) ? document : nil
      }
    case .project(let projection):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try Self.checked(projection.apply(to: document, in: context.scope))
      }
    case .assign(let assignment):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try Self.checked(assignment.apply(to: document, in: context.scope))
      }
    case .replaceRoot(let expression, let name):
      Self.each(input, in: context) { document throws(DocumentsError) in
        let value = try expression.value(in: context.scope.with(root: document))
        guard let document = value?.asDocument else {
          throw .at(
            40228,
            "'\(name)' expression  must evaluate to an object, but resulting value was: \(value.typeName)")
        }
        return try Self.checked(document)
      }
    case .redact(let expression):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try Redaction(expression: expression, scope: context.scope.with(root: document)).apply(to: document)
      }
    case .limit(let count): Self.limited(input, count)
    case .skip(let count): Self.skipping(input, count)
    case .unwind(let unwind): unwind.cursor(over: input, context)
    case .lookup(let lookup):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try Self.checked(lookup.apply(to: document, in: context))
      }
    case .graphLookup(let lookup):
      Self.each(input, in: context) { document throws(DocumentsError) in
        try Self.checked(lookup.apply(to: document, in: context))
      }
    case .union(let source, let stages): Self.united(input, with: source, stages, in: context)
    case .sort, .group, .count, .bucketAuto, .facet, .sample, .window, .documents, .densify, .geoNear:
      Self.whole(context) { () throws(DocumentsError) in try blocking(input, context) }
    }
  }

  /// The documents of a stage that has to see all of its input first.
  private func blocking(_ input: any DocumentCursor, _ context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    switch self {
    case .sort(let pattern, let limit):
      return try Self.sorted(input, by: pattern, limit: limit, charging: context.budget)
    case .group(let grouping): return try Self.checked(grouping.documents(of: input, in: context))
    case .count(let name):
      return Self.documents(ofCount: try Self.count(of: input, in: context), named: name)
    case .bucketAuto(let buckets): return try Self.checked(buckets.documents(of: input, in: context))
    case .facet(let facets):
      let documents = try input.rest(charging: context.budget)
      var result = Document()
      for facet in facets {
        let cursor = try Self.run(facet.stages, over: DocumentList(documents), in: context)
        result.append(facet.name, .array(try cursor.rest(charging: context.budget).map { .document($0) }))
      }
      return [try Self.checked(result)]
    case .sample(let count): return try Self.sample(input, count: count, charging: context.budget)
    case .window(let fields): return try Self.checked(fields.documents(of: input, in: context))
    case .densify(let densify): return try densify.documents(of: input, in: context)
    case .geoNear(let stage): return try stage.documents(of: input, in: context)
    case .documents(let expression):
      guard let values = try expression.value(in: context.scope)?.asArray else {
        throw .at(5_858_203, "$documents must evaluate to an array of objects")
      }
      return try Self.checked(values.compactMap(\.asDocument))
    default: return []
    }
  }
}

// The cursors of which the stages are made.
extension Stage {
  /// The document, unless it is too large to go on with.
  private static func checked(_ document: Document) throws(DocumentsError) -> Document {
    _ = try Value.document(document).checkedSize()
    return document
  }

  /// The number of documents.
  static func count(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError) -> Int64
  {
    var count: Int64 = 0
    while try input.next() != nil {
      try context.budget.step()
      count += 1
    }
    return count
  }

  /// The document with a number, which there is none of where nothing has been counted.
  static func documents(ofCount count: Int64, named name: String) -> [Document] {
    count == 0 ? [] : [Document([Document.Element(key: name, value: .integer(count))])]
  }

  /// The documents, unless one of them is too large, or too deep, to go on with.
  static func checked(_ documents: [Document]) throws(DocumentsError) -> [Document] {
    for document in documents { _ = try checked(document) }
    return documents
  }

  /// A document for each, but where the body gives nil.
  static func each(
    _ input: any DocumentCursor, in context: PipelineContext,
    _ body: @escaping (Document) throws(DocumentsError) -> Document?
  ) -> any DocumentCursor {
    StageCursor { () throws(DocumentsError) in
      while let document = try input.next() {
        try context.budget.step()
        if let result = try body(document) { return result }
      }
      return nil
    }
  }

  /// Documents that are made all at once when the first is asked for.
  private static func whole(
    _ context: PipelineContext, _ make: @escaping () throws(DocumentsError) -> [Document]
  ) -> any DocumentCursor {
    var list: DocumentList?
    return StageCursor { () throws(DocumentsError) in
      if let list { return try list.next() }
      let made = DocumentList(try make())
      list = made
      return try made.next()
    }
  }

  private static func limited(_ input: any DocumentCursor, _ count: Int) -> any DocumentCursor {
    precondition(count > 0, "a limit leaves something")
    var left = count
    return StageCursor { () throws(DocumentsError) in
      if left == 0 { return nil }
      left -= 1
      return try input.next()
    }
  }

  private static func skipping(_ input: any DocumentCursor, _ count: Int) -> any DocumentCursor {
    precondition(count >= 0, "no fewer documents than none are skipped")
    var left = count
    return StageCursor { () throws(DocumentsError) in
      while left > 0 {
        left -= 1
        if try input.next() == nil { return nil }
      }
      return try input.next()
    }
  }

  private static func united(
    _ input: any DocumentCursor, with source: Pipeline.Source?, _ stages: [Stage], in context: PipelineContext
  ) -> any DocumentCursor {
    var other: (any DocumentCursor)?
    return StageCursor { () throws(DocumentsError) in
      if let other { return try other.next() }
      if let document = try input.next() { return document }
      var documents: any DocumentCursor = DocumentList([])
      if let source { documents = try context.documents(of: source) }
      let cursor = try run(stages, over: documents, in: context)
      other = cursor
      return try cursor.next()
    }
  }

  /// Where only the first are wanted, no more than twice as many are kept.
  private static func sorted(
    _ input: any DocumentCursor, by pattern: SortPattern, limit: Int?, charging budget: Budget
  ) throws(DocumentsError) -> [Document] {
    var documents: [Document] = []
    let most = limit.map { $0 < 1 << 30 ? max($0 * 2, 128) : Int.max } ?? Int.max
    while let document = try input.next() {
      try budget.step()
      try budget.charge(document.memory)
      documents.append(document)
      if documents.count >= most, let limit {
        documents = pattern.sorted(documents)
        for document in documents[limit...] { budget.release(document.memory) }
        documents.removeSubrange(limit...)
      }
      precondition(
        documents.count < most, "a sort before a limit keeps no more than twice as many as are wanted, or 128"
      )
    }
    documents = pattern.sorted(documents)
    return limit.map { Array(documents.prefix($0)) } ?? documents
  }

  /// Each document with the same chance (reservoir sampling, Vitter's algorithm R), in random order.
  private static func sample(
    _ input: any DocumentCursor, count: Int, charging budget: Budget
  ) throws(DocumentsError) -> [Document] {
    var (kept, seen): ([Document], Int) = ([], 0)
    while let document = try input.next() {
      try budget.step()
      seen += 1
      if kept.count < count {
        try budget.charge(document.memory)
        kept.append(document)
      } else {
        let place = Int.random(in: 0..<seen)
        if place < count {
          budget.release(kept[place].memory)
          try budget.charge(document.memory)
          kept[place] = document
        }
      }
    }
    precondition(kept.count == min(count, seen), "a sample has as many documents as are wanted, or all")
    return kept.shuffled()
  }
}
