import Dispatch
import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

@testable import GatehouseApp

/// When the databases of apps are opened and closed.
@Suite struct AppsTests {
  /// A loop that is a queue.
  private final class QueueLoop: Loop {
    let index = 0
    let now = MonotonicTime(nanoseconds: 0)
    private let queue = DispatchQueue(label: "loop")

    func later(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
  }

  private func withApps(
    _ names: [String], files: [(path: String, text: String)] = [],
    _ body: (Apps, Registry) async throws -> Void
  ) async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    var settings = Settings()
    settings.data = folder
    settings.openApps = 2
    settings.reserveMegabytes = 0
    let metrics = Registry()
    let instrumentation = try Instrumentation(settings, metrics: metrics, version: "test") { _ in }
    let parts = ServerParts(instrumentation: instrumentation, log: nil, loops: 1)
    try await Store.with(folder) { [settings] store in
      let directory = AppsDirectory(folder)
      for name in names { _ = try await directory.create(try #require(AppName(name)), atMost: 10) }
      for file in files {
        let path = "\(folder)/apps/\(file.path)"
        #expect(
          Machine.run("mkdir -p $(dirname '\(path)') && printf '%s' '\(file.text)' > '\(path)'").status == 0)
      }
      let apps = try Apps(settings, parts, main: store)
      let router = AppRouter(try Gateway(store: store), apps, loop: 0)
      apps.add(router)
      let loop = QueueLoop()
      router.start(on: loop)
      try await body(apps, metrics)
      await apps.retire()
      await apps.close()
      withExtendedLifetime(loop) {}
    }
  }

  private func name(_ text: String) throws -> AppName { try #require(AppName(text)) }

  /// The value of a metric.
  private func value(_ name: String, _ metrics: Registry) -> String? {
    String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix(name + " ")
    }
    .map { String($0.dropFirst(name.count + 1)) }
  }

  @Test func `an app that many ask for at once is opened once`() async throws {
    try await withApps(["one"]) { apps, metrics in
      let one = try name("one")
      #expect(!apps.isOpen(one) && apps.openCount == 0)
      let leases = try await withThrowingTaskGroup(of: AppLease.self) { group in
        for _ in 0..<50 { group.addTask { try await apps.lease(one) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(leases.allSatisfy { $0.app === leases[0].app })
      #expect(value("gatehouse_app_open_seconds_count", metrics) == "1")
      #expect(apps.openCount == 1)
    }
  }

  @Test func `an app that is used stays open, and one that is not is closed, and leaves nothing`()
    async throws
  {
    try await withApps(["one"]) { apps, _ in
      let one = try name("one")
      let later = MonotonicClock.now() + 1_000_000_000_000
      weak var store: Store?
      do {
        let lease = try await apps.lease(one)
        store = lease.app.database.store
        await apps.closeIdle(at: later)
        #expect(apps.isOpen(one))
      }
      await apps.closeIdle(at: MonotonicClock.now())
      #expect(apps.isOpen(one))
      await apps.closeIdle(at: later)
      #expect(!apps.isOpen(one))
      #expect(store == nil)
      // It comes back.
      _ = try await apps.lease(one)
      #expect(apps.isOpen(one))
    }
  }

  @Test func `a use of an app that has been closed and opened since is none of the open one`() async throws {
    try await withApps(["one"]) { apps, _ in
      let one = try name("one")
      let before = try await apps.lease(one).app
      #expect(await apps.closeIfIdle(one))
      let lease = try await apps.lease(one)
      #expect(lease.app !== before)
      apps.endLease(of: before)
      #expect(await !apps.closeIfIdle(one))
      withExtendedLifetime(lease) {}
    }
  }

  @Test func `beyond the most that stay open, those go that were used least recently`() async throws {
    try await withApps(["one", "two", "three"]) { apps, _ in
      for text in ["one", "two", "three"] { _ = try await apps.lease(try name(text)) }
      // The first is closed while the third is opened.
      while apps.openCount > 2 { await Task.yield() }
      let (one, two, three) = (try name("one"), try name("two"), try name("three"))
      #expect(!apps.isOpen(one))
      #expect(apps.isOpen(two) && apps.isOpen(three))
    }
  }

  @Test func `a closed app is opened for its triggers`() async throws {
    let trigger = """
      {"name":"hourly","type":"SCHEDULED","config":{"schedule":"0 * * * *"},"function_name":"work","disabled":false}
      """
    try await withApps(["one", "two"], files: [("one/triggers/hourly.json", trigger)]) { apps, _ in
      let (one, two) = (try name("one"), try name("two"))
      // The server does not know yet when that is.
      await apps.findWork()
      #expect(apps.isOpen(one) && !apps.isOpen(two))
      #expect(await apps.closeIfIdle(one))
      await apps.wake(at: .now)
      #expect(!apps.isOpen(one))
      await apps.wake(at: Date(seconds: Date.now.seconds + 3_601, nanoseconds: 0))
      #expect(apps.isOpen(one))
    }
  }

  @Test func `a closed app with triggers is opened when another process has written its file`() async throws {
    let trigger = """
      {"name":"t","type":"SCHEDULED","config":{"schedule":"0 0 1 1 *"},"function_name":"work","disabled":false}
      """
    try await withApps(["one", "two"], files: [("one/triggers/t.json", trigger)]) { apps, _ in
      let (one, two) = (try name("one"), try name("two"))
      for app in [one, two] {
        _ = try await apps.lease(app)
        #expect(await apps.closeIfIdle(app))
      }
      await apps.findChanges()
      #expect(apps.openCount == 0)
      for app in [one, two] {
        #expect(Machine.run("touch '\(apps.directory.database(of: app))'").status == 0)
      }
      await apps.findChanges()
      #expect(apps.isOpen(one) && !apps.isOpen(two))
    }
  }

  @Test func `an app whose file is gone gets no empty one, and says why it is not open`() async throws {
    try await withApps(["one"]) { apps, _ in
      let one = try name("one")
      let file = apps.directory.database(of: one)
      #expect(Machine.run("mv '\(file)' '\(file).away'").status == 0)
      await #expect(throws: AppError.unavailable) { _ = try await apps.lease(one) }
      #expect(Machine.run("test -e '\(file)'").status != 0)
      #expect(apps.failure(of: one)?.contains("gatehouse.db") == true)
      // It is looked at again when somebody says so.
      #expect(Machine.run("mv '\(file).away' '\(file)'").status == 0)
      try apps.findNames()
      _ = try await apps.lease(one)
      #expect(apps.failure(of: one) == nil)
    }
  }

  @Test func `a reason is told when it is new, and then once a minute`() {
    var failure = AppFailure()
    func tells(_ text: String, at time: UInt64) -> Bool { failure.add(text, at: time) }
    #expect(tells("a", at: 5))
    #expect(failure.isFresh(at: 6) && !failure.isFresh(at: 2_000_000_005))
    #expect(!tells("a", at: 2_000_000_005))
    #expect(tells("b", at: 2_000_000_006))
    #expect(!tells("b", at: 61_000_000_005))
    #expect(tells("b", at: 62_000_000_007))
  }

  @Test func `an app that is not there, and one that is removed, has no lease`() async throws {
    try await withApps(["one"]) { apps, _ in
      await #expect(throws: AppError.notFound) { _ = try await apps.lease(try self.name("none")) }
      _ = try await apps.lease(try name("one"))
      try await apps.remove(try name("one"))
      await #expect(throws: AppError.notFound) { _ = try await apps.lease(try self.name("one")) }
      #expect(!apps.hasAny && apps.openCount == 0)
    }
  }

  @Test func `an app that another process has open is not removed`() async throws {
    try await withApps(["one"]) { apps, metrics in
      let one = try name("one")
      _ = try await apps.lease(one)
      try await apps.close(one)
      let lock = open("\(apps.directory.directory(of: one))/lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      await #expect(throws: StorageError.self) { try await apps.remove(one) }
      #expect(apps.contains(one) && value("gatehouse_app_requests_total{app=\"one\"}", metrics) == "1")
      flock(lock, LOCK_UN)
      try await apps.remove(one)
      #expect(!apps.contains(one) && value("gatehouse_app_requests_total{app=\"one\"}", metrics) == nil)
    }
  }

  @Test(arguments: [
    "/v1/apps/%6Fne/collections", "/api/client/v2.0/app/on%65/location", "/app/%6F%6e%65/endpoint/x",
  ])
  func `a name that is encoded is the same`(path: String) async throws {
    try await withApps(["one"]) { apps, _ in
      let request = Request(method: .get, target: Target(path: path, query: nil))
      guard case .app(let name, _) = AppPath.destination(of: request, among: apps) else {
        Issue.record("\(path) is none of the app")
        return
      }
      #expect(name.text == "one")
    }
  }

  @Test(arguments: ["a", "shop-abcde", "Shop_1", String(repeating: "a", count: 63)])
  func `names of apps`(text: String) { #expect(AppName(text)?.text == text) }

  @Test(arguments: ["", "1a", "-a", "a.b", "a/b", "ä", "default", "Auth", String(repeating: "a", count: 64)])
  func `texts that are no names of apps`(text: String) { #expect(AppName(text) == nil) }
}
