import GatehouseHTTP
import GatehouseOutbound
import Synchronization
import Testing

@testable import GatehouseAPI

/// Requests that a node sends to the one that leads.
struct LeaderClientTests {
  /// The nodes that are sent to: `n1` does not answer requests of clients, and others do.
  private final class Nodes: Sendable {
    struct State {
      var leader = "n1"
      /// Whether `n1` says that it is alive.
      var isAlive = false
      var questions = 0
      var sent = 0
      var hasFinished = false
    }

    let state = Mutex(State())
    var standing: ClusterAccess.Standing {
      ClusterAccess.Standing(
        isLeading: false, hasLease: false, isFresh: true, leader: state.withLock(\.leader))
    }

    func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
      if request.url.hasSuffix("/livez") {
        let isAlive = state.withLock { state in
          state.questions += 1
          return state.isAlive
        }
        guard isAlive else { throw .timedOut }
        return ClientResponse(status: 200, fields: [], content: [])
      }
      state.withLock { $0.sent += 1 }
      guard request.url.contains("n1") else { return ClientResponse(status: 204, fields: [], content: []) }
      while !state.withLock(\.hasFinished) {
        do { try await Task.sleep(for: .milliseconds(5)) } catch { throw .cancelled }
      }
      return ClientResponse(status: 201, fields: [], content: [])
    }
  }

  private let nodes = Nodes()

  private var client: LeaderClient {
    let times = LeaderWatch.Times(silence: .milliseconds(40), interval: .milliseconds(10))
    return LeaderClient(scheme: "http", times) { [nodes] (request) async throws(ClientError) in
      try await nodes.send(request)
    }
  }

  private func forward(_ client: LeaderClient) async -> ClusterAccess.Outcome {
    let request = Request(
      method: .post, target: Target(path: "/v1/collections/City"), fields: Fields([]), body: .empty)
    return await client.forward(request, [], from: "n2") { [nodes] in nodes.standing }
  }

  private func wait(until condition: () -> Bool) async throws {
    for _ in 0..<3_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    try #require(condition())
  }

  @Test func `requests to a node that is silent end when another one leads, and one task asks for all`()
    async throws
  {
    let client = client
    let outcomes = await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { await forward(client) } }
      try? await wait { nodes.state.withLock { $0.sent == 50 && $0.questions > 3 } }
      nodes.state.withLock { $0.leader = "n3" }
      var outcomes: [ClusterAccess.Outcome] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
    #expect(outcomes.count == 50)
    for outcome in outcomes {
      guard case .unknown = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }

  @Test func `a node that would not learn who leads does not wait for it`() async throws {
    let count = Atomic(0)
    let request = Request(
      method: .post, target: Target(path: "/v1/collections/City"), fields: Fields([]), body: .empty)
    let outcome = await client.forward(request, [], from: "n2") {
      count.add(1, ordering: .relaxed)
      var standing = ClusterAccess.Standing(isLeading: false, hasLease: false, isFresh: false, leader: nil)
      standing.reachesLog = false
      return standing
    }
    guard case .unreachable = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test func `a node that does not lead any more, and is there, answers what it has begun with`() async throws
  {
    nodes.state.withLock { $0.isAlive = true }
    async let outcome = forward(client)
    try await wait { nodes.state.withLock { $0.questions > 2 } }
    nodes.state.withLock { $0.leader = "n3" }
    let before = nodes.state.withLock(\.questions)
    try await wait { nodes.state.withLock { $0.questions > before + 8 } }
    nodes.state.withLock { $0.hasFinished = true }
    guard case .answered(let response) = await outcome else {
      Issue.record("not answered")
      return
    }
    #expect(response.status == .created)
  }

  @Test func `nobody is asked when nobody waits`() async throws {
    let watch = LeaderWatch(.init(silence: .seconds(60), interval: .milliseconds(1))) { _ in true }
    let tasks = ["n1", "n1", "n2"].map { node in
      Task { await watch.waitForSilence(of: node) { true } }
    }
    try await wait { watch.isWatching }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    try await wait { !watch.isWatching }
    await withTaskGroup { group in
      group.addTask { await watch.waitForSilence(of: "n1") { true } }
      group.cancelAll()
    }
    try await wait { !watch.isWatching }
  }
}
