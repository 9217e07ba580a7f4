import GatehouseAudit

/// `gatehouse audit verify`.
struct AuditVerifyCommand: Command {
  static let synopsis = Synopsis(
    "audit verify", summary: "Checks that no recorded event was changed or removed, while a server may run.",
    options: [
      Synopsis.Option(
        name: "--anchor", value: "FILE",
        help: "Lines that “audit anchor” wrote: the chain must come by each of them.")
    ],
    settings: .some(["data"]),
    details: """
      Goes along the chain of digests from the oldest event, in the archives of the data directory, to the newest. Whoever \
      can write the file can make the whole chain anew, which only an anchor that was kept elsewhere shows. The \
      exit code is 1 where it breaks; the first event that is not as it was is named.
      """)

  let directory: String
  /// The file of anchors; nil: none.
  let anchorFile: String?

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
    anchorFile = arguments.options["--anchor"]
  }

  func run() throws {
    let anchors = try anchorFile.map(AuditVerifyCommand.anchors) ?? []
    let verification = try AuditTrail(directory: directory).verified(against: anchors)
    Output.error.write("\(Quantity.grouped(verification.events)) events, none of them changed\n")
    guard anchorFile != nil else { return }
    let unseen = verification.unseenAnchors
    Output.error.write(
      "\(verification.metAnchors) anchors met"
        + (unseen == 0 ? "\n" : ", \(unseen) not looked at: their events are in archives that are not here\n")
    )
  }

  private static func anchors(in path: String) throws -> [Anchor] {
    var reader = try RecordFile(path: path)
    var anchors: [Anchor] = []
    var number = 0
    while let line = try reader.next() {
      number += 1
      if line.isEmpty { continue }
      guard let anchor = Anchor(line: Array(line)) else {
        throw CommandError.record(path: path, unit: .line, number: number, reason: "this is no anchor")
      }
      anchors.append(anchor)
    }
    return anchors
  }
}
