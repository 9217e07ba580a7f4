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
    var result = body()
    guard isDeletion, result.isDiskFull, reserve.spend() || reserve.isSpent else { return result }
    view.published.update { $0.failure = .diskFull }
    result = body()
    guard result.isDiskFull else { return result }
    // Once the write-ahead log is in the database file, it begins anew where it is, without growing.
    maintenance.checkpoint(.restart, on: connection)
    return body()
  }

  /// Takes the reserve back if there is room, that of the write-ahead log included.
  func restoreReserve() {
    guard reserve.isSpent else { return }
    maintenance.checkpoint(.truncate, on: connection)
    let pages = try? current.session.integer(current.session.cached("PRAGMA freelist_count"))
    reserve.restore(freeBytesInFile: Int(pages ?? 0) * 4096)
  }
}

extension Result where Failure == OperationError {
  /// Whether there was no room.
  fileprivate var isDiskFull: Bool {
    if case .failure(let error) = self { error.reason == .diskFull } else { false }
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
