import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

/// The objects of a plan in one state of the file, in its order.
public struct ResultSet {
  /// An object of the result.
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
  /// The type of the keys of sections.
  fileprivate let sectionType: ElementType
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

  /// Returns the key of a row's section as plain JSON.
  public func sectionJSON(_ row: Row) throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    let key = SectionKeyValue(value: row.section, type: sectionType, session: reader.session)
    try Representation.json.append(key, to: &bytes)
    return bytes
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
      let reader = planReader(plan)
      let rows =
        if let section {
          try reader.sectionedRows(by: section, in: transaction)
        } else {
          try reader.rows(in: transaction)
        }
      let version = try LogReader(session: session).bounds().last
      try view.sync.settle()
      return try body(
        ResultSet(
          rows: rows, version: version, sectionType: section?.type ?? .mixed,
          objects: try objectReader(plan.projection, plan.visibility), reader: self))
    }
  }
}

private struct SectionKeyValue: Writable {
  let value: Mixed
  let type: ElementType
  let session: ReadSession

  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) {
    try session.write(value, as: type, to: &writer)
  }
}
