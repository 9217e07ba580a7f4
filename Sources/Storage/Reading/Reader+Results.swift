public import Model
public import Query

/// The objects of a plan in one state of the file, in its order.
public struct ResultSet {
  /// One of them.
  public struct Row: Hashable, Sendable {
    public let key: ObjectKey
    /// What clients identify it by.
    public let id: Mixed
    /// What puts it into a section; null where there are none.
    public let section: Mixed
  }

  public let rows: [Row]
  /// The last commit that is in it.
  public let version: Int64
  fileprivate let objects: ObjectReader
  fileprivate let reader: Reader

  /// The schema of that state.
  public var schema: Schema { reader.session.catalog.schema }

  /// An object as plain JSON, as the plan shows it.
  public func json(_ row: Row) throws(StorageError) -> [UInt8] {
    // Each is an answer of its own: what is remembered of one means nothing in the next.
    reader.session.answer += 1
    return try objects.bytes(of: row.key.value, as: .json)
  }

  /// Likewise, and which objects that shows.
  public func observedJSON(_ row: Row) throws(StorageError) -> (json: [UInt8], sights: [Observation.Sight]) {
    let (json, sights) = try reader.observed { () throws(StorageError) -> [UInt8] in try self.json(row) }
    return (json, sights)
  }
}

extension Reader {
  /// What `body` makes of the objects of the plan that `plan` makes for the schema as it is; nil where it makes none.
  /// The plan's cursor and page size are left aside.
  public func results<Answer>(
    _ plan: (Schema) -> (plan: Plan, section: SectionKey?)?,
    _ body: (ResultSet) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer? {
    try currentSnapshot { () throws(StorageError) -> Answer? in
      guard let (plan, section) = plan(session.catalog.schema) else { return nil }
      let table = try session.catalog.table(plan.objectType)
      var paths: [KeyPath] = section.map { [$0.path] } ?? []
      if let key = table.objectType.primaryKeyIndex {
        paths.append(
          KeyPath(
            objectType: plan.objectType, hops: [], end: .value(property: key), type: table.identifierType))
      }
      var rows: [ResultSet.Row] = []
      let isKeyed = table.objectType.primaryKeyIndex != nil
      try values(of: plan, paths) { row throws(StorageError) in
        let id = isKeyed ? try row.first(paths.count - 1) : .int(row.key.value)
        let value = if let section { section.key(of: try row.first(0)) } else { Mixed.null }
        rows.append(ResultSet.Row(key: row.key, id: id, section: value))
      }
      let version = try LogReader(session: session).bounds().last
      return try body(
        ResultSet(rows: rows, version: version, objects: try objectReader(plan.projection), reader: self))
    }
  }
}
