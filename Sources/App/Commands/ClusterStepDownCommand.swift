/// `gatehouse cluster step-down`.
struct ClusterStepDownCommand: Command {
  static let synopsis = Synopsis(
    "cluster step-down", summary: "Has a node of a cluster stop to lead, so that another one does.",
    operands: ["URL"], optionalOperands: 1, settings: .some(["listen", "adminKey"]),
    details: """
      It asks the node at URL, or at the first address of listen; one that does not lead stays what it is. Where no other node \
      leads, it does so again. Where callers need a key, it takes GATEHOUSE_ADMIN_KEY.
      """)

  private let client: NodeClient

  init(_ arguments: Arguments, settings: Settings) throws {
    client = NodeClient(try settings.node(arguments), key: settings.adminKey)
  }

  func run() async throws { Output.standard.write(try await client.stepDown().line + "\n") }
}
