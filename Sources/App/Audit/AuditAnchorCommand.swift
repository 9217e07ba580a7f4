import GatehouseAudit

/// `gatehouse audit anchor`.
struct AuditAnchorCommand: Command {
  static let synopsis = Synopsis(
    "audit anchor",
    summary: "Checks the chain of recorded events and writes where it ends.",
    settings: .some(["data"]),
    details: """
      One line of JSON, while a server may run. Add it to a file that nobody who can write the data directory can change: on another machine, in \
      a store that keeps what was written once, on paper. “audit verify --anchor FILE” tells whether the chain still \
      comes by it.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    let anchor = try AuditTrail(directory: directory).verified().anchor
    try Output.standard.write(anchor.line + [UInt8(ascii: "\n")])
  }
}
