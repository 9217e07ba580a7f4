import GatehouseAudit
import GatehouseStorage

/// `gatehouse audit export`.
struct AuditExportCommand: Command {
  static let synopsis = Synopsis(
    "audit export",
    summary: "Writes all recorded events to standard output as NDJSON, while a server may run.",
    settings: .some(["data"]),
    details: """
      Those in the archives of the data directory come first. A line is the event as JSON, names in bytewise order; \
      its chain is SHA-256 of the chain before it, a line feed, and the line without its chain.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    let trail = try AuditTrail(directory: directory)
    // The first and the last line of an archive are about the archive.
    try trail.forEachLine { line in
      if line.starts(with: #"{"_id""#.utf8) { try Output.standard.write(line + [UInt8(ascii: "\n")]) }
    }
    try trail.forEachObject { object in
      guard let event = ChainedEvent(object.image, key: object.key) else {
        throw StorageError.corrupt(StoredEvent.className)
      }
      try Output.standard.write(event.line + [UInt8(ascii: "\n")])
    }
  }
}
