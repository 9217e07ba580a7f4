import GatehouseAPI
import GatehouseAccess
import GatehouseHTTP
import Synchronization

/// Hands the requests of one event loop to the gateway of the app that their path names, and all others to that of the default
/// database.
///
/// `@unchecked Sendable`. Because each event loop has one of its own, and it is used on that loop only.
final class AppRouter: Handler, @unchecked Sendable {
  private struct Entry {
    let app: OpenApp
    let gateway: Gateway
  }

  private let main: Gateway
  private let apps: Apps
  private let index: Int
  private var gateways: [AppName: Entry] = [:]
  private weak var loop: (any Loop)?
  /// Whether the server is about to stop.
  private var isDraining = false

  init(_ main: Gateway, _ apps: Apps, loop index: Int) {
    (self.main, self.apps, self.index) = (main, apps, index)
  }

  func respond(to request: Request) async -> Response {
    guard apps.hasAny || apps.mayBeLate else { return await main.respond(to: request) }
    var destination = AppPath.destination(of: request, among: apps)
    let named: AppName? =
      if case .nowhere(let name) = destination { name } else { AppPath.app(readBy: request) }
    if let named, !apps.contains(named) {
      do throws(AppError) {
        if try await apps.learns(of: named, askedBy: request) {
          destination = AppPath.destination(of: request, among: apps)
        }
      } catch { return await main.refuse(request, error) }
    }
    switch destination {
    case .main: return await main.respond(to: request)
    case .nowhere: return await main.refuse(request, .notFound)
    case .app(let name, let target): return await respond(to: request, at: target, of: name)
    }
  }

  /// - Parameter target: The target as the app knows it; nil: the request's.
  private func respond(to request: Request, at target: Target?, of name: AppName) async -> Response {
    let lease: AppLease
    let gateway: Gateway
    do {
      lease = try await apps.lease(name)
      gateway = try self.gateway(of: lease.app)
    } catch {
      return await main.refuse(request, error as? AppError ?? .unavailable)
    }
    var request = request
    if let target { request.target = target }
    var response = await gateway.respond(to: request)
    if target != nil, response.route != LeaderClient.route {
      response.fields.prefixPaths(with: "/v1/apps/\(name.text)")
      response.route = response.route?.prefixed(with: "/v1/apps/{app}")
    }
    response.app = name.text
    response.keep(lease)
    return response
  }

  private func gateway(of app: OpenApp) throws -> Gateway {
    if let entry = gateways[app.name], entry.app === app { return entry.gateway }
    guard let loop, !isDraining else { throw AppError.unavailable }
    let gateway = try app.makeGateway(loop: index)
    gateway.start(on: loop)
    gateways[app.name] = Entry(app: app, gateway: gateway)
    return gateway
  }

  /// Makes the gateway of an app before there is a request; called from any thread. False: it cannot be made.
  func prepare(_ app: OpenApp) async -> Bool {
    await perform { (try? self.gateway(of: app)) != nil } ?? false
  }

  /// Ends the streams of an app; called from any thread.
  func drain(_ app: OpenApp) async {
    _ = await perform { self.gateways[app.name]?.gateway.drain() }
  }

  /// Forgets the gateway of an app that nobody uses any more; called from any thread.
  func forget(_ app: OpenApp) async {
    _ = await perform {
      if self.gateways[app.name]?.app === app { self.gateways[app.name] = nil }
    }
  }

  /// Calls `body` on the loop; nil: there is none yet.
  private func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    guard let loop else { return nil }
    return await withCheckedContinuation { continuation in
      loop.later { continuation.resume(returning: body()) }
    }
  }

  func countRefusal(of peer: PeerAddress) -> Int? { main.countRefusal(of: peer) }

  func start(on loop: any Loop) {
    self.loop = loop
    main.start(on: loop)
  }

  func rest() {
    main.rest()
    for entry in gateways.values { entry.gateway.rest() }
  }

  func tick() {
    main.tick()
    for entry in gateways.values { entry.gateway.tick() }
  }

  func drain() {
    isDraining = true
    main.drain()
    for entry in gateways.values { entry.gateway.drain() }
  }
}
