import GatehouseBSON
import GatehouseStorage

/// The migrations that were applied to a store, as it keeps them: in the order of their numbers, each with its file's digest.
struct MigrationHistory {
  private static let kind = "migration"

  /// By number.
  private let applied: [(number: Int, name: String, digest: String)]

  init(of store: Store) throws {
    applied = try store.makeReader().records(Self.kind).map { record in
      guard case .document(let document)? = try? Value(json: record.value),
        case .string(let digest)? = document["sha256"],
        let number = record.name.key.split(separator: "_").first.flatMap({ Int($0) })
      else { throw StorageError.corrupt("record of a migration") }
      return (number, record.name.key, digest)
    }.sorted { $0.number < $1.number }
  }

  /// The record of a file that is applied at a time.
  static func record(of file: MigrationFile, at time: Date) -> RecordChange {
    let value: Value = ["sha256": .string(file.digest), "time": .string(time.description)]
    return RecordChange(Record.Name(kind, file.name), value.plainJSON, expecting: .absent)
  }

  /// Returns the files that are still to be applied, up to a number. Throws ``MigrationError`` where what was applied is not
  /// what the folder has.
  func pending(of files: [MigrationFile], through target: Int?) throws -> [MigrationFile] {
    for migration in applied {
      guard let file = files.first(where: { $0.name == migration.name }) else {
        throw MigrationError.missing(migration.name)
      }
      guard file.digest == migration.digest else { throw MigrationError.changed(migration.name) }
    }
    let pending = files.filter { file in !applied.contains { $0.name == file.name } }
    if let last = applied.last {
      if let late = pending.first(where: { $0.number <= last.number }) {
        throw MigrationError.late(late.name, applied: last.name)
      }
      if let target, target < last.number { throw MigrationError.past(target, applied: last.name) }
    }
    if let target, !files.contains(where: { $0.number == target }) {
      throw MigrationError.unknownNumber(target)
    }
    return pending.filter { $0.number <= target ?? .max }
  }
}
