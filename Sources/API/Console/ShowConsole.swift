import GatehouseConsole
import GatehouseHTTP

extension Feature {
  /// The console: a page for browsers, and the files that it loads.
  static let console = Feature(endpoints: [.rootPage, .consolePage, .consoleFile])
}

extension Endpoint {
  /// The page where a browser comes without a path. For whoever does not ask for HTML there is nothing here.
  static let rootPage = Endpoint("rootPage", .get("/").answered(by: .asked), requires: .nothing) { call in
    let accepts = call.request.fields["accept"] ?? ""
    guard accepts.contains("text/html") else { throw APIError.routeNotFound }
    var response = try ShowConsole(.page, call).answer()
    response.fields.append("vary", "accept")
    return response
  }

  static let consolePage = Endpoint(
    "consolePage", .get("/console", parameters: [.app]).answered(by: .asked), requires: .nothing
  ) {
    call in
    try ShowConsole(.page, call).answer()
  }

  static let consoleFile = Endpoint(
    "consoleFile", .get("/console/{path}").answered(by: .asked), requires: .nothing
  ) { call in
    guard let file = ServedFile.byPath[call.capturedPath] else { throw APIError.routeNotFound }
    return try ShowConsole(file, call).answer()
  }
}

/// GET of a file of the console. It tells nothing of the data, so that nobody needs a credential for it.
struct ShowConsole: Sendable {
  private let file: ServedFile
  private let preconditions: Preconditions

  init(_ file: ServedFile, _ call: Call) throws {
    self.file = file
    preconditions = try Preconditions(call.request.fields)
  }

  func answer() throws -> Response {
    var response = Response(status: .ok, body: .bytes(file.content.bytes))
    if try preconditions.isCurrent(file.tag) {
      response = Response(status: .notModified)
    } else {
      response.fields.append("content-type", file.content.mediaType)
    }
    response.fields.append(file.tag)
    for (name, value) in ShowConsole.fields { response.fields.append(name, value) }
    return response
  }

  /// Scripts, styles and requests are the server's own; no string becomes HTML or a script; no other page frames the console
  /// (CSP 3, Trusted Types). A proxy's cache asks each time whether the file is still the same.
  static let fields: [(StaticString, String)] = [
    ("cache-control", "no-cache"),
    (
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
  ]
}

/// A file with its entity tag, which is computed once.
struct ServedFile: Sendable {
  let content: ConsoleFile
  let tag: EntityTag

  init(_ content: ConsoleFile) {
    self.content = content
    tag = EntityTag(.init(showing: content.bytes), .json)
  }

  static let page = ServedFile(.page)
  static let byPath = Dictionary(uniqueKeysWithValues: ConsoleFile.all.map { ($0.path, ServedFile($0)) })
}
