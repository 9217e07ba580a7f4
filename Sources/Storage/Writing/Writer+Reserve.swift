import SQLite

// What is written where the disk is full.
extension Writer {
  /// Performs something that may be refused for want of room, once more with the reserve where it only deletes.
  func performWithReserve<Success>(
    isDeletion: Bool, _ body: () -> Result<Success, OperationError>
  ) -> Result<Success, OperationError> {
    guard isDeletion || !reserve.isSpent else {
      return .failure(OperationError(operation: 0, reason: .diskFull))
    }
    let result = body()
    guard isDeletion, case .failure(let error) = result, error.reason == .diskFull, spendReserve() else {
      return result
    }
    return body()
  }

  /// Gives the reserve up, if it has not been yet, and moves what the write-ahead log has to the database file: then the
  /// log begins anew where it is, without growing. False: there is no reserve.
  private func spendReserve() -> Bool {
    guard reserve.spend() || reserve.isSpent else { return false }
    upkeep.checkpoint(.restart, on: connection)
    published.update { $0.failure = .diskFull }
    return true
  }

  /// Takes the reserve back if there is room, that of the write-ahead log included.
  func restoreReserve() {
    guard reserve.isSpent else { return }
    upkeep.checkpoint(.truncate, on: connection)
    let pages = try? session.reading.integer(session.reading.cached("PRAGMA freelist_count"))
    reserve.restore(freeBytesInFile: Int(pages ?? 0) * 4096)
  }
}

extension Transaction {
  /// Whether all that it does is to delete.
  var isDeletion: Bool {
    !operations.isEmpty
      && operations.allSatisfy { operation in
        switch operation {
        case .delete, .each(_, .delete), .change(_, _, _, .remove, _), .change(_, _, _, .removeElements, _):
          true
        case .create, .put, .update, .edit, .change, .each: false
        }
      }
  }
}
