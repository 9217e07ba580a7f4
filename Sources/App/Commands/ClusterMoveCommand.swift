/// `gatehouse cluster move`.
struct ClusterMoveCommand: Command {
  static let synopsis = Synopsis(
    "cluster move", summary: "Has a node of a cluster lead an app.", operands: ["APP", "NODE"],
    settings: .some(["adminKey"]),
    details: """
      NODE is the URL of the node that is to lead, or its address and port; APP is “default” for the default database. Every node has the \
      whole of every app: nothing is copied, and the app takes writes again after a moment. Where callers need a key, it takes \
      GATEHOUSE_ADMIN_KEY.
      """)

  private let client: NodeClient
  /// Nil: the default database.
  private let app: String?

  /// How often another node may come first.
  private static let attempts = 20

  init(_ arguments: Arguments, settings: Settings) {
    client = NodeClient(arguments.operands[1], key: settings.adminKey)
    app = arguments.operands[0] == "default" ? nil : arguments.operands[0]
  }

  func run() async throws {
    for _ in 0..<ClusterMoveCommand.attempts {
      let part = try await part()
      if part.role == "leader" { return Output.standard.write(part.line + "\n") }
      try await client.stand(app)
      if let leader = part.leader {
        let scheme = client.url.hasPrefix("https://") ? "https" : "http"
        _ = try await NodeClient("\(scheme)://\(leader)", key: client.key).stepDown(app)
      }
      try await wait(for: part.epoch)
    }
    throw ClusterFailure.notMoved
  }

  /// Waits for a node to lead in a later epoch, for some time.
  private func wait(for epoch: Int64) async throws {
    for _ in 0..<50 {
      let part = try await part()
      if part.epoch > epoch, part.leader != nil { return }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Returns the part of the node in the app.
  private func part() async throws -> NodePart {
    let state = try await client.state()
    guard let app else { return state.part }
    guard let part = state.apps.first(where: { $0.name == app }) else {
      throw CommandError.invalidValue(name: "APP", text: app, expected: "an app of the cluster")
    }
    return part
  }
}
