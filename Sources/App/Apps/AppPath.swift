import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

/// The app that a request's path names, or its token.
enum AppPath {
  enum Destination {
    /// The default database.
    case main
    /// The target is that of the request as the app knows it; nil: the same.
    case app(AppName, target: Target?)
    /// An app that is not there, as far as is known here; nil: it has a name that no app can have.
    case nowhere(AppName?)
  }

  private static let resources = "/v1/apps/"
  private static let wire = "/api/client/v2.0/app/"
  private static let session = "/api/client/v2.0/auth/"
  private static let endpoints = "/app/"

  static func destination(of request: Request, among apps: Apps) -> Destination {
    guard request.target.withPathBytes(mayLeadToApp) else { return .main }
    let path = request.target.path
    if path.hasPrefix(resources) { return destination(ofResource: path, request.target.query, among: apps) }
    // Where there are no apps, every id is the default database's.
    guard apps.hasAny else { return .main }
    if path.hasPrefix(wire) { return destination(ofID: path.dropFirst(wire.utf8.count), among: apps) }
    if path.hasPrefix(session) {
      let domain = request.fields["authorization"].flatMap(domain)
      return domain.flatMap(apps.name(withDomain:)).map { .app($0, target: nil) } ?? .main
    }
    guard path.hasPrefix(endpoints) else { return .main }
    let rest = path.dropFirst(endpoints.utf8.count)
    guard rest.split(separator: "/", maxSplits: 2).dropFirst().first == "endpoint" else { return .main }
    return destination(ofID: rest, among: apps)
  }

  /// Returns the name of the app whose state is asked for, `GET /v1/apps/NAME`; nil: something else is.
  static func app(readBy request: Request) -> AppName? {
    guard request.method == .get || request.method == .head, request.target.withPathBytes(mayLeadToApp),
      request.target.path.hasPrefix(resources)
    else { return nil }
    let rest = request.target.path.dropFirst(resources.utf8.count)
    return rest.contains("/") ? nil : AppName(decoded(rest))
  }

  /// Whether a path begins like one that names an app. No text is made of the others.
  private static func mayLeadToApp(_ path: UnsafeRawBufferPointer) -> Bool {
    path.starts(with: resources.utf8) || path.starts(with: endpoints.utf8) || path.starts(with: wire.utf8)
      || path.starts(with: session.utf8)
  }

  /// `/v1/apps/NAME/collections` is `/v1/collections` of the app; `/v1/apps/NAME` is about the app, and so is
  /// `/v1/apps/NAME/groups/GROUP`, below which the resources of a group of its classes are.
  private static func destination(
    ofResource path: String, _ query: String?, among apps: Apps
  ) -> Destination {
    let rest = path.dropFirst(resources.utf8.count)
    guard let slash = rest.firstIndex(of: "/") else { return .main }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3, parts[1] == "groups" { return .main }
    let name = AppName(decoded(rest[..<slash]))
    guard let name, apps.contains(name) else { return .nowhere(name) }
    let inner = rest[slash...]
    return .app(name, target: Target(path: inner == "/metrics" ? "/metrics" : "/v1\(inner)", query: query))
  }

  /// Clients of App Services name an app by its id; the default database has one as well.
  private static func destination(ofID rest: Substring, among apps: Apps) -> Destination {
    let id = decoded(rest.prefix { $0 != "/" })
    let name = AppName(id)
    if let name, apps.contains(name) { return .app(name, target: nil) }
    // The console of the default database logs in by an id that is never an app's.
    return id == apps.defaultID || id == "console" ? .main : .nowhere(name)
  }

  /// A segment of a path, without percent-encoding (RFC 3986 §6.2.2.2: names have none, encoded they are the same).
  private static func decoded(_ segment: Substring) -> String {
    guard segment.utf8.contains(UInt8(ascii: "%")) else { return String(segment) }
    return (try? Target(path: "/\(segment)", query: nil).segments().first) ?? String(segment)
  }

  /// The claim of the domain in a token, which nobody has verified.
  private static func domain(inField field: String) -> String? {
    guard let text = field.split(separator: " ").last, let token = JSONWebToken(String(text)),
      case .string(let domain)? = token.claims["baas_domain_id"]
    else { return nil }
    return domain
  }
}
