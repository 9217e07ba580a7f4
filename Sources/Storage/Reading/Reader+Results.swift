public import GatehouseModel
public import GatehouseQuery

/// The objects of a plan in one state of the file, in its order.
public struct ResultSet {
  /// One of them.
  public struct Row: Hashable, Sendable {
    public let key: ObjectKey
    /// The primary key, or the object key, by which clients identify it.
    public let id: Mixed
    /// The key of its section; null where there are none.
    public let section: Mixed
  }

  public let rows: [Row]
  /// The last commit that is in it.
  public let version: Int64
  fileprivate let objects: ObjectReader
  fileprivate let reader: Reader

  /// The schema of that state.
  public var schema: Schema { reader.session.catalog.schema }

  /// Returns an object as plain JSON, as the plan shows it.
  public func json(_ row: Row) throws(StorageError) -> [UInt8] {
    // Each is an answer of its own: what is remembered of one means nothing in the next.
    reader.session.answer += 1
    return try objects.bytes(of: row.key.value, as: .json)
  }

  /// Returns an object as plain JSON, as the plan shows it, and the objects that this shows.
  public func observedJSON(_ row: Row) throws(StorageError) -> (json: [UInt8], reads: [Observation.Read]) {
    let (json, reads) = try reader.observed { () throws(StorageError) -> [UInt8] in try self.json(row) }
    return (json, reads)
  }
}

extension Reader {
  /// Returns what `body` makes of the objects of the plan that `plan` makes for the schema as it is; nil where it makes none.
  /// With sections they are in the order of these, as many as the plan's page has, as ``sections(_:by:as:framing:into:)``
  /// has them; without, the plan's page size is left aside, and its cursor is either way.
  public func results<Answer>(
    _ plan: (Schema) -> (plan: Plan, section: SectionKey?)?,
    _ body: (ResultSet) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer? {
    try currentSnapshot { transaction throws(StorageError) -> Answer? in
      guard let (plan, section) = plan(session.catalog.schema) else { return nil }
      let rows: [ResultSet.Row]
      if let section {
        rows = try sectionedRows(of: plan, by: section, in: transaction)
      } else {
        rows = try self.rows(of: plan, in: transaction)
      }
      let version = try LogReader(session: session).bounds().last
      return try body(
        ResultSet(
          rows: rows, version: version, objects: try objectReader(plan.projection),
          reader: self))
    }
  }

  private func sectionedRows(
    of plan: Plan, by key: SectionKey, in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> [ResultSet.Row] {
    var rows: [ResultSet.Row] = []
    for section in try sectionPage(of: plan, by: key, in: transaction).sections {
      for key in section.objects {
        let id = try session.identifier(of: ObjectLink(objectType: plan.objectType, key: key))
        rows.append(ResultSet.Row(key: key, id: id, section: section.key))
      }
    }
    return rows
  }

  private func rows(
    of plan: Plan, in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> [ResultSet.Row] {
    let table = try session.catalog.table(plan.objectType)
    let identifier = table.objectType.primaryKeyIndex.map {
      KeyPath(objectType: plan.objectType, hops: [], end: .value(property: $0), type: table.identifierType)
    }
    let paths = identifier.map { [$0] } ?? []
    var rows: [ResultSet.Row] = []
    try values(of: plan, paths, in: transaction.schema) { row throws(StorageError) in
      let id = paths.isEmpty ? .int(row.key.value) : try row.first(0)
      rows.append(ResultSet.Row(key: row.key, id: id, section: .null))
    }
    return rows
  }
}
