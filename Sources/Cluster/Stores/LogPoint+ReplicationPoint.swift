internal import GatehouseStorage

extension ReplicationPoint {
  /// The hash and the epoch of the entry are its context: 32 bytes, and 8 with the lowest first.
  init(_ point: LogPoint) {
    let epoch = (0..<8).map { UInt8(truncatingIfNeeded: point.epoch >> (8 * UInt64($0))) }
    self.init(sequence: point.position, context: point.hash.bytes + epoch)
  }
}

extension LogPoint {
  /// Reads what a store has kept; nil: it is from another program.
  init?(_ point: ReplicationPoint) {
    if point.sequence == 0 {
      self = .start
      return
    }
    guard point.context.count == EntryHash.size + 8,
      let hash = EntryHash(point.context.prefix(EntryHash.size))
    else { return nil }
    let epoch = point.context.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard epoch > 0, epoch < .max else { return nil }
    self.init(position: point.sequence, hash: hash, epoch: epoch)
  }
}
