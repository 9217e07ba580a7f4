import GatehouseSQLite

extension Reader {
  /// The change log from `start` on, in order, at most `limit` changes; of one class, and of the schema, where
  /// `objectType` says so. `last` is the last version to look at; nil: all.
  ///
  /// Throws ``StorageError/positionExpired`` where the log does not have everything since then.
  public func changes(
    from start: LogStart, through last: Int64? = nil, limit: Int, objectType: String? = nil
  ) throws(StorageError) -> ChangePage {
    // One snapshot for the bounds and the rows.
    try currentSnapshot { _ throws(StorageError) in
      let log = LogReader(session: session, tail: tail)
      let bounds = try log.bounds()
      // A position must not stand for another change after a crash.
      try view.sync.settle()
      return try log.page(
        after: log.position(of: start, bounds), through: min(last ?? .max, bounds.last), limit: limit,
        objectType: objectType, images())
    }
  }
}
