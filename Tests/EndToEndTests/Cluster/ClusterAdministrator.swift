import Dispatch
import Glibc
import Synchronization

/// A client who changes the schema at any of some nodes all the time: adds a property, and removes it with its values.
final class ClusterAdministrator: Sendable {
  private struct State {
    var changes = 0
    var isStopped = false
    var problems: [String] = []
  }

  private let ports: [UInt16]
  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// The time between two changes, in microseconds.
  private static let pause: UInt32 = 200_000

  init(at ports: [UInt16]) {
    self.ports = ports
    DispatchQueue(label: "administrator").async(group: group) { self.run() }
  }

  /// The changes that were acknowledged.
  var changes: Int { state.withLock(\.changes) }
  /// The answers that are neither a success nor a reason to ask again.
  var problems: [String] { state.withLock(\.problems) }

  func stop() {
    state.withLock { $0.isStopped = true }
    group.wait()
  }

  private func run() {
    var (attempt, hasNote) = (0, true)
    while !state.withLock(\.isStopped) {
      attempt += 1
      let port = LocalPort(ports[attempt % ports.count], seconds: 12)
      let note = hasNote ? #","note":"string?""# : ""
      let answer = try? port.send(
        "PUT", "/v1/schema/Item?destructive=true",
        body: #"{"primaryKey":"_id","properties":{"_id":"int","text":"string"\#(note)}}"#)
      switch answer?.status.prefix(3) ?? "" {
      case "200":
        state.withLock { $0.changes += 1 }
        hasNote.toggle()
      // Sent again, it changes nothing where it was done before.
      case "", "503", "507": break
      default: state.withLock { $0.problems.append("\(answer?.status ?? "") \(answer?.body ?? "")") }
      }
      usleep(ClusterAdministrator.pause)
    }
  }
}
