/// A transaction of another store, as it has to be published once it is committed.
struct AppliedTransaction {
  let version: Int64
  let point: ReplicationPoint
  /// The names of the tables whose rows it has changed.
  let tables: Set<String>
  let recordKinds: Set<String>
  let changesSchema: Bool

  init(_ applier: TransactionApplier, version: Int64, at point: ReplicationPoint) {
    (self.version, self.point, tables) = (version, point, applier.touchedTables)
    (recordKinds, changesSchema) = (applier.recordKinds, applier.changesSchema)
  }
}
