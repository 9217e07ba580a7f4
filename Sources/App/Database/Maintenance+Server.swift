import GatehouseAPI
import GatehouseStorage

extension Maintenance {
  /// The work on the store of a server that administrators may begin. Throws ``CommandError``.
  static func ofServer(_ settings: Settings, _ store: Store) throws -> Maintenance {
    let directory = settings.data
    var tasks = [
      MaintenanceTask("check") { progress in
        try StoreSnapshot(directory: directory).check { progress(Double($0) / Double(max($1, 1))) }.map(
          \.text)
      },
      MaintenanceTask("compact") { _ in
        let outcome = try await store.compact()
        return ["\(outcome.sizeBefore) bytes before, \(outcome.sizeAfter) after"]
      },
    ]
    if !settings.backupTo.isEmpty {
      let location = try BackupLocation(settings.backupTo)
      let place = try location.place(.current)
      tasks.append(
        MaintenanceTask("backup") { progress in
          try location.check()
          let writer = BackupWriter(of: directory, to: place, program: ProductVersion.text)
          let outcome = try await writer.run { progress(Double($0) / Double(max($1, 1))) }
          return outcome.map { ["\($0.name)", "\($0.bytes) bytes written"] } ?? ["nothing has changed"]
        })
    }
    return Maintenance(tasks) { FailureText.of($0) }
  }
}
