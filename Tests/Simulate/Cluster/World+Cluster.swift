import CGatehouseSimulation
import GatehouseCluster
import GatehouseHTTP
import GatehouseStorage

// Expectations of several gateways.
extension World {
  /// When nothing fails any more, one node leads, each answers, and all have the same: what was written.
  func finish(_ cluster: Cluster) async throws {
    try await cluster.meet()
    stay()
    // Clients that have left are back by then.
    try await Task.sleep(nanoseconds: 1_000_000_000)
    let client = Client(999, in: self)
    for node in cluster.nodes { try await write(by: client, at: node) }
    try await cluster.meet()
    situationText = "the logs of all nodes are read"
    let log = try await examine(cluster, isLast: false)
    situationText = "streams are to arrive"
    for follower in followers { try await follower.finish(log, last: cluster.lastVersion) }
    for replica in replicas { try await replica.finish(last: cluster.lastVersion) }
    try await triggers?.finish(log) { cluster.leader }
    for follower in results { if let service = cluster.reach() { try await follower.finish(by: service) } }
    for intruder in intruders { intruder.finish() }
    situationText = "everything is to be answered"
    for node in cluster.nodes { try await rest(node) }
    situationText = "the audit trail is read"
    for node in cluster.nodes { try await examineAudit(cluster.directory(of: node)) }
    situationText = "the nodes are compared"
    try await compare(cluster, "first")
    situationText = "all nodes are started again"
    try await cluster.losePower()
    let again = try await examine(cluster)
    try again.continues(log, through: log.lastVersion)
    try await compare(cluster, "second")
  }

  /// A write succeeds at each node within a few seconds.
  private func write(by client: Client, at node: Cluster.Node) async throws {
    for attempt in 0..<60 {
      if let service = node.service, await client.insertLast(100 * node.index + attempt, by: service) {
        return
      }
      try await Task.sleep(nanoseconds: 500_000_000)
    }
    throw Failure("nothing can be written at \(node.name.text) when all works again")
  }

  /// Reads the log of each node, which is the same, and holds it against what clients know.
  private func examine(_ cluster: Cluster, isLast: Bool = true) async throws -> PlainStore {
    var content: [UInt8]?
    for node in cluster.nodes {
      let request = Self.request(.get, "/v1/changes?since=0", ["accept": "application/x-ndjson"])
      let answer = await node.service?.answer(request, onLoop: 0)
      guard let answer, answer.status == 200 else {
        throw Failure("the log of \(node.name.text) cannot be read: \(answer?.text ?? "no answer")")
      }
      // Where reads are recorded, there are versions more by now.
      if let content,
        !answer.content.starts(with: content) || !scenario.isAudited && content != answer.content
      {
        throw Failure(
          "\(node.name.text) has another log than \(cluster.nodes[0].name.text):\n\(answer.text)\n"
            + String(decoding: content, as: UTF8.self))
      }
      content = answer.content
    }
    let log = try PlainStore(log: content ?? [], attempts, losesClasses: scenario.hasClassChanges)
    self.log = log
    try explainObservations(through: isLast ? .max : log.lastVersion)
    return log
  }

  /// Nothing is being done, and nothing held, some time after everything was answered.
  private func rest(_ node: Cluster.Node) async throws {
    guard let service = node.service else { throw Failure("\(node.name.text) is down") }
    try await Client(900 + node.index, in: self).readAll(by: service)
    for _ in 0..<200 where service.isBusy { try await Task.sleep(nanoseconds: 100_000_000) }
    guard !service.isBusy else { throw Failure("a request was never answered by \(node.name.text)") }
  }

  /// The digests of all files are the same, and `check` finds nothing.
  private func compare(_ cluster: Cluster, _ comparison: String) async throws {
    guard let leader = cluster.nodes.first(where: { $0.run?.isLeading == true }) else {
      throw Failure("nobody leads")
    }
    try await leader.run?.part.compare(comparison)
    func isMade(_ node: Cluster.Node) -> Bool {
      node.run?.part.digest.map { $0.comparison == comparison && $0.hash != nil } ?? false
    }
    for _ in 0..<100 where !cluster.nodes.allSatisfy(isMade) {
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    for node in cluster.nodes {
      let (one, other) = (node.run?.part.digest, leader.run?.part.digest)
      guard let one, one.comparison == comparison, one == other else {
        throw Failure(
          "\(node.name.text) has the digest \(String(describing: one)), and the leader \(String(describing: other))"
        )
      }
      guard let schema = node.service?.store.schema, schema == leader.service?.store.schema else {
        throw Failure("\(node.name.text) shows another schema than the leader")
      }
      try check(cluster.directory(of: node))
    }
  }
}
