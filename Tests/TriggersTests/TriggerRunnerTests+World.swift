import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseTriggers

extension TriggerRunnerTests {
  /// Calls of a function, as they come.
  final class Calls: Sendable {
    let stream: AsyncStream<Invocation>
    private let continuation: AsyncStream<Invocation>.Continuation
    /// Why the next calls fail; nil: they do not.
    let failure = Mutex<String?>(nil)

    init() {
      (stream, continuation) = AsyncStream.makeStream()
    }

    func call(_ invocation: Invocation) throws(FunctionError) -> Value {
      continuation.yield(invocation)
      if let failure = failure.withLock({ $0 }) { throw .thrown(message: failure) }
      return .null
    }

    /// A webhook is told as a call of a function with its URL as its name.
    func send(_ webhook: Webhook, _ content: [UInt8], id: String) async -> String? {
      let arguments = (try? Value(json: content)).map { [$0] } ?? []
      let invocation = Invocation(name: webhook.url, arguments: arguments, requestID: id)
      do throws(FunctionError) { _ = try call(invocation) } catch { return "not taken" }
      return nil
    }

    /// The next calls' events, without what differs from run to run.
    func events(_ count: Int) async -> [String] {
      var texts: [String] = []
      var iterator = stream.makeAsyncIterator()
      while texts.count < count, let invocation = await iterator.next() {
        guard case .document(var event)? = invocation.arguments.first else {
          texts.append("")
          continue
        }
        event.elements.removeAll { ["_id", "wallTime", "ns"].contains($0.key) }
        texts.append(String(decoding: Value.document(event).plainJSON, as: UTF8.self))
      }
      return texts
    }
  }

  final class Time: Sendable {
    let seconds = Atomic<Int64>(1_700_000_000)
    var now: Date { Date(seconds: seconds.load(ordering: .relaxed)) }
  }

  /// A store with classes `Note` and `Other`, in a directory of its own.
  struct World {
    let folder: String
    let store: Store
    let calls = Calls()
    let logins = AuthenticationQueue()
    let time = Time()
    let pauses = AsyncStream.makeStream(of: Duration.self)

    init(_ options: StoreOptions = StoreOptions()) async throws {
      folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
      let time = time
      store = try Store(directory: folder, options: options, clock: { time.now })
      let schema = """
        [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string","n":"int?","tags":"string[]"}},\
        {"name":"Other","primaryKey":"_id","properties":{"_id":"int"}}]
        """
      _ = try await store.apply(Schema(notation: Value(json: schema)), destructive: false)
    }

    func remove() async {
      await store.close()
      _ = Machine.run("rm -r '\(folder)'")
    }

    /// A runner whose pauses end at once, but for those of schedules, which put the clock on.
    ///
    /// - Parameter isPatient: whether its pauses end when somebody ends them, and not before.
    func runner(isPatient: Bool = false) -> TriggerRunner {
      TriggerRunner(
        store, logins: logins, metrics: Registry(), clock: { [time] in time.now },
        pause: { [time, pauses] duration in
          try Task.checkCancellation()
          pauses.continuation.yield(duration)
          if isPatient {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try Task.checkCancellation()
          }
          time.seconds.add(duration.components.seconds, ordering: .relaxed)
          await Task.yield()
        },
        TriggerActions(send: { [calls] in await calls.send($0, $1, id: $2) }) {
          [calls] (invocation) async throws(FunctionError) in try calls.call(invocation)
        })
    }

    private func perform(_ operation: GatehouseStorage.Operation) async throws {
      _ = try await store.perform(Transaction([operation]))
    }

    func create(_ objectType: String, _ json: String) async throws {
      let type = try #require(store.schema[objectType])
      let draft = try type.draft(from: Value(json: json), in: store.schema, mode: .create)
      try await perform(.create(objectType: objectType, draft: draft, policy: .error))
    }

    func update(_ id: Int64, _ json: String) async throws {
      let patch = try #require(store.schema["Note"]).patch(from: Value(json: json), in: store.schema)
      try await perform(.update(objectType: "Note", id: .int(id), patch: patch, precondition: .none))
    }

    func replace(_ id: Int64, _ json: String) async throws {
      let type = try #require(store.schema["Note"])
      let draft = try type.draft(from: Value(json: json), in: store.schema, mode: .replace())
      try await perform(.put(objectType: "Note", id: .int(id), draft: draft, precondition: .none))
    }

    func delete(_ id: Int64) async throws {
      try await perform(.delete(objectType: "Note", id: .int(id), precondition: .none))
    }
  }
}
