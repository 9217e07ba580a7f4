import GatehouseBSON

/// Reads the stages of a pipeline.
struct StageParser {
  let variables: Set<String>
  let depth: Int
  /// The stage that the pipeline stands in; nil at the top.
  let place: String?

  func parse(_ values: [Value]) throws(DocumentsError) -> ([Stage], PipelineOutput?) {
    if values.count > Pipeline.stageLimit {
      throw .at(7_749_501, "Pipeline length must be no longer than \(Pipeline.stageLimit) stages")
    }
    if depth > Pipeline.depthLimit {
      throw .at(232, "Maximum number of nested sub-pipelines exceeded. Limit is \(Pipeline.depthLimit)")
    }
    var stages: [Stage] = []
    for (index, value) in values.enumerated() {
      guard let document = value.asDocument else {
        throw .typeMismatch("Each element of the 'pipeline' array must be an object")
      }
      guard document.elements.count == 1, let element = document.elements.first else {
        throw .at(40323, "A pipeline stage specification object must contain exactly one field.")
      }
      if element.key == "$out" || element.key == "$merge" {
        if let place { throw .at(51047, "\(element.key) is not allowed within a \(place) stage") }
        guard index == values.count - 1 else {
          throw .at(40601, "\(element.key) can only be the final stage in the pipeline")
        }
        return (Self.joined(stages), try OutputParser(variables: variables).parse(element))
      }
      stages += try stage(element, isFirst: index == 0)
    }
    return (Self.joined(stages), nil)
  }

  /// Has a sort know how many documents are wanted of it.
  private static func joined(_ stages: [Stage]) -> [Stage] {
    var stages = stages
    for index in stages.indices.dropLast() {
      if case .sort(let pattern, nil) = stages[index], case .limit(let count) = stages[index + 1] {
        stages[index] = .sort(pattern, limit: count)
      }
    }
    return stages
  }

  private func stages(of value: Value?, in place: String, variables: Set<String>) throws(DocumentsError)
    -> [Stage]
  {
    guard case .array(let values)? = value else {
      throw .typeMismatch("A pipeline must be an array in \(place)")
    }
    return try StageParser(variables: variables, depth: depth + 1, place: place).parse(values).0
  }

  private func document(_ element: Document.Element) throws(DocumentsError) -> Document {
    guard let document = element.value.asDocument else {
      throw .at(15959, "the \(element.key) specification must be an object")
    }
    return document
  }

  private func expression(_ value: Value) throws(DocumentsError) -> Expression {
    try Expression(value, variables: variables)
  }

  private func stage(_ element: Document.Element, isFirst: Bool) throws(DocumentsError) -> [Stage] {
    let value = element.value
    switch element.key {
    case "$match": return [.match(try match(try document(element)))]
    case "$project":
      return [.project(try Projection(try document(element), kind: .stage, variables: variables))]
    case "$addFields", "$set":
      return [.assign(try FieldAssignment(try document(element), element.key, variables: variables))]
    case "$unset": return [.project(try unset(value))]
    case "$replaceRoot":
      guard let root = try document(element)["newRoot"] else {
        throw .at(40231, "no newRoot specified for the $replaceRoot stage")
      }
      return [.replaceRoot(try expression(root), "newRoot")]
    case "$replaceWith": return [.replaceRoot(try expression(value), "newRoot")]
    case "$redact":
      return [.redact(try Expression(value, variables: variables.union(["DESCEND", "PRUNE", "KEEP"])))]
    case "$unwind": return [.unwind(try Unwind(value))]
    case "$limit":
      guard let count = value.asInteger, value.isNumber, count > 0 else {
        throw .at(15958, "the limit must be positive")
      }
      return [.limit(Int(count))]
    case "$skip":
      guard let count = value.asInteger, count >= 0 else {
        throw .at(5_107_200, "invalid argument to $skip stage: Expected a non-negative number")
      }
      return [.skip(Int(count))]
    case "$sort": return [.sort(try SortPattern(try document(element)), limit: nil)]
    case "$count": return [.count(try countName(value))]
    case "$group": return [.group(try grouping(try document(element)))]
    case "$sortByCount":
      let isExpression = value.text?.hasPrefix("$") ?? (value.asDocument != nil)
      guard isExpression else {
        throw .at(40149, "the sortByCount field must be defined as a $-prefixed path or an expression")
      }
      let count = Grouping.Field(name: "count", accumulator: try Accumulator("$count", [:], variables: []))
      return [
        .group(Grouping(key: try expression(value), bounds: nil, fields: [count])),
        .sort(try SortPattern(["count": .int32(-1)]), limit: nil),
      ]
    case "$bucket": return [.group(try bucket(try document(element)))]
    case "$bucketAuto": return [.bucketAuto(try bucketAuto(try document(element)))]
    case "$facet": return [.facet(try facets(try document(element)))]
    case "$sample":
      guard let count = try document(element)["size"]?.asInteger, count >= 0 else {
        throw .at(28747, "size argument to $sample must not be negative, and a number")
      }
      return [.sample(Int(min(count, Int64(Int32.max))))]
    case "$lookup": return [.lookup(try lookup(try document(element)))]
    case "$graphLookup": return [.graphLookup(try graphLookup(try document(element)))]
    case "$unionWith": return [try union(value)]
    case "$setWindowFields":
      return try WindowParser(variables: variables).parse(try document(element))
    case "$documents":
      if !isFirst { throw .at(40602, "$documents is only valid as the first stage in a pipeline") }
      return [.documents(try expression(value))]
    case "$densify": return [.densify(try Densify(try document(element)))]
    case "$fill": return try FillParser(variables: variables).parse(try document(element))
    case "$geoNear":
      if !isFirst { throw .at(40603, "$geoNear is only valid as the first stage in a pipeline") }
      return [.geoNear(try GeoNearStage(try document(element), variables: variables))]
    case "$search", "$searchMeta", "$vectorSearch", "$collStats", "$indexStats", "$currentOp",
      "$listSessions", "$listLocalSessions", "$planCacheStats", "$changeStream":
      throw DocumentsError(.commandNotSupported, "\(element.key) is not supported")
    default: throw .at(40324, "Unrecognized pipeline stage name: '\(element.key)'")
    }
  }

  private func match(_ document: Document) throws(DocumentsError) -> Filter {
    let filter = try Filter(document, variables: variables)
    if filter.near != nil {
      throw .at(
        5_626_500,
        "$geoNear, $near, and $nearSphere are not allowed in this context, as these operators require sorting geospatial data. If you do not need sort, consider using $geoWithin instead."
      )
    }
    return filter
  }

  private func unset(_ value: Value) throws(DocumentsError) -> Projection {
    let values = value.asArray ?? [value]
    var document = Document()
    for value in values {
      guard case .string(let name) = value, !name.isEmpty else {
        throw .at(31002, "$unset specification must be a string or an array containing only string values")
      }
      document.append(name, .int32(0))
    }
    if values.isEmpty {
      throw .at(31119, "$unset specification must be a string or an array with at least one field")
    }
    return try Projection(document, kind: .stage)
  }

  private func countName(_ value: Value) throws(DocumentsError) -> String {
    guard case .string(let name) = value, !name.isEmpty else {
      throw .at(40156, "the count field must be a non-empty string")
    }
    if name.hasPrefix("$") { throw .at(40158, "the count field cannot be a $-prefixed path") }
    if name.contains(".") { throw .at(40160, "the count field cannot contain '.'") }
    return name
  }

  private func grouping(_ document: Document) throws(DocumentsError) -> Grouping {
    guard let key = document["_id"] else { throw .at(15955, "a group specification must include an _id") }
    let fields = try Grouping.fields(document.elements.filter { $0.key != "_id" }, variables: variables)
    return Grouping(key: try expression(key), bounds: nil, fields: fields)
  }

  /// The fields of buckets: a count if nothing else is said.
  private func output(_ value: Value?) throws(DocumentsError) -> [Grouping.Field] {
    guard let value else {
      return [Grouping.Field(name: "count", accumulator: try Accumulator("$count", [:], variables: []))]
    }
    guard let document = value.asDocument else {
      throw .at(40196, "The $bucket 'output' field must be an object, but found type: \(value.typeName).")
    }
    return try Grouping.fields(document.elements, variables: variables)
  }

  private func groupBy(_ value: Value?, _ name: String) throws(DocumentsError) -> Expression {
    guard let value, value.text?.hasPrefix("$") ?? (value.asDocument != nil) else {
      throw .at(
        40202, "The \(name) 'groupBy' field must be defined as a $-prefixed path or an expression object")
    }
    return try expression(value)
  }

  private func bucket(_ document: Document) throws(DocumentsError) -> Grouping {
    guard case .array(let values)? = document["boundaries"] else {
      throw .at(40200, "The $bucket 'boundaries' field must be an array")
    }
    let bounds = try values.mapped { value throws(DocumentsError) -> Value in
      guard let value = try expression(value).constant else {
        throw .at(40191, "The $bucket 'boundaries' field must be an array of constant values")
      }
      return value
    }
    if bounds.count < 2 {
      throw .at(
        40192,
        "The $bucket 'boundaries' field must have at least 2 values, but found \(bounds.count) value(s).")
    }
    for (lower, upper) in zip(bounds, bounds.dropFirst()) {
      if lower.rank != upper.rank {
        throw .at(40193, "All values in the 'boundaries' option to $bucket must have the same type.")
      }
      if ValueOrder.compare(lower, upper) >= 0 {
        throw .at(
          40194, "The 'boundaries' option to $bucket must be sorted, but elements are not in ascending order")
      }
    }
    let otherwise = document["default"]
    if let otherwise, let last = bounds.last, ValueOrder.compare(otherwise, bounds[0]) >= 0,
      ValueOrder.compare(otherwise, last) < 0
    {
      throw .at(
        40199,
        "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary."
      )
    }
    return Grouping(
      key: try groupBy(document["groupBy"], "$bucket"),
      bounds: Grouping.Bounds(values: bounds, otherwise: otherwise), fields: try output(document["output"]))
  }

  private func bucketAuto(_ document: Document) throws(DocumentsError) -> BucketAuto {
    guard let count = document["buckets"]?.asInteger, count > 0 else {
      throw .at(40243, "The $bucketAuto 'buckets' field must be greater than 0")
    }
    if document["granularity"] != nil {
      throw DocumentsError(.commandNotSupported, "$bucketAuto's 'granularity' is not supported")
    }
    return BucketAuto(
      key: try groupBy(document["groupBy"], "$bucketAuto"), count: Int(min(count, Int64(Int32.max))),
      fields: try output(document["output"]))
  }

  private func facets(_ document: Document) throws(DocumentsError) -> [Stage.Facet] {
    if document.elements.isEmpty {
      throw .at(40169, "the $facet specification must be a non-empty object")
    }
    return try document.elements.mapped { element throws(DocumentsError) in
      for value in element.value.asArray ?? [] {
        if value.asDocument?["$facet"] != nil {
          throw .at(40600, "$facet is not allowed to be used within a $facet stage")
        }
      }
      return Stage.Facet(
        name: element.key, stages: try stages(of: element.value, in: "$facet", variables: variables))
    }
  }

  /// A collection, or a database and a collection.
  static func source(_ value: Value?, _ name: String) throws(DocumentsError) -> Pipeline.Source {
    switch value {
    case .string(let collection)?: return Pipeline.Source(database: nil, collection: collection)
    case .document(let document)?:
      if case .string(let collection)? = document["coll"] {
        return Pipeline.Source(database: document["db"]?.text, collection: collection)
      }
    default: break
    }
    throw .failedToParse("\(name) must name a collection")
  }

  private func path(_ value: Value?, _ name: String) throws(DocumentsError) -> [String] {
    guard case .string(let text)? = value else { throw .failedToParse("argument '\(name)' must be a string") }
    return try FieldPath(expression: text).components
  }

  private func lookup(_ document: Document) throws(DocumentsError) -> Lookup {
    for element in document.elements
    where !["from", "localField", "foreignField", "as", "let", "pipeline"].contains(element.key) {
      throw .failedToParse("unknown argument to $lookup: \(element.key)")
    }
    if document["as"] == nil { throw .failedToParse("must specify 'as' field for a $lookup") }
    let hasFields = document["localField"] != nil || document["foreignField"] != nil
    if !hasFields, document["pipeline"] == nil {
      throw .failedToParse(
        "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified")
    }
    if hasFields, document["localField"] == nil || document["foreignField"] == nil {
      throw .failedToParse(
        "$lookup requires both or neither of 'localField' and 'foreignField' to be specified")
    }
    var bindings: [Expression.Member] = []
    for element in document["let"]?.asDocument?.elements ?? [] {
      bindings.append(Expression.Member(name: element.key, expression: try expression(element.value)))
    }
    let inner = variables.union(bindings.map(\.name))
    var stages: [Stage] = []
    if let pipeline = document["pipeline"] {
      stages = try self.stages(of: pipeline, in: "$lookup", variables: inner)
    }
    var source: Pipeline.Source?
    if document["from"] != nil {
      source = try Self.source(document["from"], "$lookup's 'from'")
    } else if case .documents? = stages.first {
    } else {
      throw .failedToParse("must specify 'from' field for a $lookup")
    }
    return Lookup(
      source: source, name: try path(document["as"], "as"),
      fields: hasFields
        ? (try path(document["localField"], "localField"), try path(document["foreignField"], "foreignField"))
        : nil,
      bindings: bindings, stages: stages)
  }

  private func graphLookup(_ document: Document) throws(DocumentsError) -> GraphLookup {
    guard let start = document["startWith"] else { throw .at(40105, "$graphLookup requires 'startWith'") }
    var depth = 1_000
    if let value = document["maxDepth"] {
      guard let number = value.asInteger, number >= 0 else {
        throw .at(40101, "maxDepth requires a nonnegative argument")
      }
      depth = Int(min(number, 1_000))
    }
    var filter: Filter?
    if let restriction = document["restrictSearchWithMatch"] {
      guard let restriction = restriction.asDocument else {
        throw .at(40185, "$graphLookup.restrictSearchWithMatch must be an object")
      }
      filter = try Filter(restriction, variables: variables)
    }
    return GraphLookup(
      source: try Self.source(document["from"], "$graphLookup's 'from'"), start: try expression(start),
      from: try path(document["connectFromField"], "connectFromField"),
      to: try path(document["connectToField"], "connectToField"), name: try path(document["as"], "as"),
      depthName: try document["depthField"].map { [$0] }?.mapped { value throws(DocumentsError) in
        try path(value, "depthField")
      }.first, depth: depth, filter: filter)
  }

  private func union(_ value: Value) throws(DocumentsError) -> Stage {
    guard let document = value.asDocument else { return .union(try Self.source(value, "$unionWith"), []) }
    var inner: [Stage] = []
    if let pipeline = document["pipeline"] {
      inner = try stages(of: pipeline, in: "$unionWith", variables: variables)
    }
    if document["coll"] == nil, case .documents? = inner.first { return .union(nil, inner) }
    return .union(try Self.source(value, "$unionWith"), inner)
  }
}
