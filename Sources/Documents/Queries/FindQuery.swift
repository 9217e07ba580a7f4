public import GatehouseBSON

/// A `find`: filter, sort, skip, limit and projection, in this order.
public struct FindQuery: Sendable {
  public let filter: Filter
  public let sort: SortPattern?
  public let skip: Int
  /// Nil: all.
  public let limit: Int?
  public let projection: Projection?

  public init(
    filter: Filter, sort: SortPattern? = nil, skip: Int = 0, limit: Int? = nil, projection: Projection? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.skip = max(0, skip)
    // A negative limit is one batch of that size; zero is no limit.
    self.limit = limit.flatMap { $0 == 0 ? nil : $0 == .min ? .max : abs($0) }
    self.projection = projection
  }

  /// Reads the members of a `find` as clients send them: a filter, and documents that may be left out.
  public init(
    filter: Document, sort: Document? = nil, skip: Int = 0, limit: Int? = nil, projection: Document? = nil
  ) throws(DocumentsError) {
    let condition = try Filter(filter)
    var order: SortPattern?
    if let sort, !sort.elements.isEmpty { order = try SortPattern(sort) }
    var fields: Projection?
    if let projection, !projection.elements.isEmpty {
      fields = try Projection(projection, kind: .find, filter: condition)
    }
    self.init(filter: condition, sort: order, skip: skip, limit: limit, projection: fields)
  }

  /// The documents of the result, made as they are asked for.
  public func run(
    over documents: any DocumentCursor, in context: PipelineContext
  ) throws(DocumentsError) -> any DocumentCursor {
    var stages: [Stage] = [.match(filter)]
    let most = limit.map { $0.addingReportingOverflow(skip) }.flatMap { $0.overflow ? nil : $0.partialValue }
    if let sort {
      stages.append(.sort(sort, limit: most))
    } else if let near = filter.near {
      stages.append(.geoNear(GeoNearStage(near.near, path: near.path)))
    }
    if skip > 0 { stages.append(.skip(skip)) }
    if let limit { stages.append(.limit(limit)) }
    if let projection { stages.append(.project(projection)) }
    return try Stage.run(stages, over: documents, in: context)
  }

  /// The number of documents.
  public func count(over documents: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> Int
  {
    let counted = FindQuery(filter: filter, skip: skip, limit: limit)
    let cursor = try counted.run(over: documents, in: context)
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }
}
