public import GatehouseModel
public import GatehouseQuery

/// Reads a store's part of results that are put together with those of other stores.
public struct PartialReader {
  /// The objects of a page, each with its place in the order of the results.
  public struct Page: Sendable {
    public struct Object: Sendable {
      /// Where its bytes end.
      public let end: Int
      public let place: Cursor
      /// The key of its section, where keys are asked for.
      public var section = Mixed.null
    }

    public let objects: [Object]
    /// Whether there is none behind them.
    public let isLast: Bool
  }

  fileprivate let reader: Reader

  /// Returns the order of the plan's results.
  public func order(of plan: Plan) throws(StorageError) -> ResultOrder {
    try reader.current { _ throws(StorageError) in
      var compiler = try PlanCompiler(plan, catalog: reader.session.catalog)
      return ResultOrder(try compiler.order(of: plan))
    }
  }

  /// Appends the page of objects that the plan asks for, one behind the other; it ends early once it has `room` bytes.
  public func page(
    _ plan: Plan, as representation: Representation, atMost room: Int, into bytes: inout [UInt8]
  ) throws(StorageError) -> Page {
    let start = bytes.count
    return try reader.currentSnapshot { _ throws(StorageError) in
      // A second try begins anew.
      bytes.removeSubrange(start...)
      let visibility = plan.visibility?.needed(for: plan.projection, in: reader.session.catalog.schema)
      let (page, sql) = try reader.pageReader(plan, .rows(try reader.rowReader(of: plan, under: visibility)))
      return try page.writePlaced(sql, size: plan.pageSize, as: representation, atMost: room, into: &bytes)
    }
  }

  /// Returns the aggregates over the plan's objects as far as they are, to which those of other stores are added; its cursor and page
  /// size left aside.
  public func accumulated(_ plan: Plan, _ aggregates: [Aggregate]) throws(StorageError) -> [Accumulator] {
    if aggregates.allSatisfy({ $0.kind == .count }) {
      let count = Mixed.int(Int64(try reader.count(plan)))
      return aggregates.map { aggregate in
        var accumulator = aggregate.ofNothing
        accumulator.add(count)
        return accumulator
      }
    }
    return try reader.current { schema throws(StorageError) -> [Accumulator] in
      let values = reader.planReader(plan)
      let results = try reader.snapshot(schema) { transaction throws(StorageError) in
        try values.computed(aggregates, in: transaction)
      }
      if let results { return results }
      return try values.evaluated(aggregates, in: schema)
    }
  }

  /// Appends a document with the key of its section, `{"key": …}`, for each object of the plan's page.
  public func sectionKeys(
    _ plan: Plan, by key: SectionKey, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> Page {
    let start = bytes.count
    return try reader.currentSnapshot { _ throws(StorageError) in
      bytes.removeSubrange(start...)
      var objects: [Page.Object] = []
      let isLast = try reader.planReader(plan).forEachPlace(key.path) { row, place throws(StorageError) in
        let section = key.key(of: try row.first(0))
        let item = SectionDocument(key: section, type: key.type, session: reader.session)
        try representation.append(item, to: &bytes)
        objects.append(Page.Object(end: bytes.count, place: place, section: section))
      }
      return Page(objects: objects, isLast: isLast)
    }
  }
}

extension Reader {
  /// Reads this store's part of results that several have.
  public var partial: PartialReader { PartialReader(reader: self) }
}
