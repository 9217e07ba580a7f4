import Dispatch
import Glibc
import Synchronization
import Testing

/// Clients who create objects at any of some nodes, each until it is told that it is there, and read each then at another node.
final class ClusterWriters: Sendable {
  private struct State {
    var acknowledged: Set<Int> = []
    var next = 0
    var isStopped = false
    var problems: [String] = []
    /// The reads that have been answered.
    var reads = 0
    var last = ContinuousClock.now
    var silence = Duration.zero
  }

  private let ports: [UInt16]
  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(_ count: Int, at ports: [UInt16]) {
    self.ports = ports
    for number in 0..<count {
      DispatchQueue(label: "writer \(number)").async(group: group) { self.run() }
    }
  }

  var acknowledged: Set<Int> { state.withLock(\.acknowledged) }
  /// The answers that are neither a success nor a reason to ask again.
  var problems: [String] { state.withLock(\.problems) }

  var reads: Int { state.withLock(\.reads) }

  /// Returns the milliseconds of the longest time in which nothing was acknowledged, since the last call.
  func takeSilence() -> Int {
    state.withLock { state in
      defer { state.silence = .zero }
      return Int(max(state.silence, .now - state.last) / .milliseconds(1))
    }
  }

  /// Waits until so many more objects have been acknowledged.
  func wait(for more: Int) {
    let goal = acknowledged.count + more
    while acknowledged.count < goal, problems.isEmpty { usleep(20_000) }
  }

  /// Returns when the last object has been acknowledged.
  func stop() {
    state.withLock { $0.isStopped = true }
    group.wait()
  }

  private func run() {
    while true {
      let id = state.withLock { state -> Int? in
        guard !state.isStopped else { return nil }
        state.next += 1
        return state.next
      }
      guard let id else { return }
      create(id)
    }
  }

  /// Asks one node after the other, with one key: whoever has done it says so again.
  private func create(_ id: Int) {
    var attempt = id
    while true {
      attempt += 1
      let port = LocalPort(ports[attempt % ports.count], seconds: 12)
      let answer = try? port.send(
        "POST", "/v1/collections/Item", fields: ["Idempotency-Key": "\"object-\(id)\""],
        body: #"{"_id":\#(id),"text":"text of \#(id)"}"#)
      let status = answer?.status.prefix(3) ?? ""
      if status == "201" {
        state.withLock { state in
          state.acknowledged.insert(id)
          let now = ContinuousClock.now
          state.silence = max(state.silence, now - state.last)
          state.last = now
        }
        read(id, since: answer?.fields["realm-version"] ?? "")
        return
      }
      // Another attempt of its own may be under way (409 idempotency_key_in_use).
      if !status.isEmpty, status != "503", status != "507",
        answer?.body.contains("idempotency_key_in_use") != true
      {
        state.withLock { $0.problems.append("\(id): \(answer?.status ?? "") \(answer?.body ?? "")") }
        return
      }
      usleep(20_000)
    }
  }

  /// Reads what was acknowledged at some node: each has it that has come to its version, and so has the one that leads.
  private func read(_ id: Int, since version: String) {
    let fields =
      id % 2 == 0 ? ["If-Version-At-Least": version] : ["Read-Consistency": "linearizable"]
    let port = LocalPort(ports[Int.random(in: 0..<ports.count)], seconds: 12)
    let answer = try? port.send("GET", "/v1/collections/Item/\(id)", fields: fields)
    switch answer?.status.prefix(3) ?? "" {
    case "200": state.withLock { $0.reads += 1 }
    // A node that cannot know says so, or does not answer.
    case "", "503": break
    default: state.withLock { $0.problems.append("\(id) read \(fields): \(answer?.body ?? "")") }
    }
  }
}
