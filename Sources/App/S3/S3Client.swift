import GatehouseBSON
import GatehouseOutbound

/// Reads and writes the objects of a bucket.
///
/// A request that fails for a reason that may pass is made again: nothing is done twice by that.
struct S3Client: Sendable {
  let location: S3Location
  private let settings: S3Settings
  private let http: HTTPClient

  /// The waits before requests that are made again.
  private static let pauses: [Duration] = [.milliseconds(250), .seconds(1), .seconds(4)]
  /// The most bytes of an object: lists of a very large store.
  private static let mostBytes = 1 << 28

  init(_ location: S3Location, _ environment: Environment) throws {
    self.location = location
    settings = try S3Settings(environment)
    // The operator has named the server.
    http = HTTPClient(.all, certificates: settings.certificates)
  }

  func read(_ key: String) async throws -> [UInt8] {
    try await send("GET", key).content
  }

  func write(_ bytes: [UInt8], _ key: String) async throws {
    _ = try await send("PUT", key, content: bytes)
  }

  func remove(_ key: String) async throws {
    _ = try await send("DELETE", key)
  }

  /// The keys that begin so.
  func keys(_ prefix: String) async throws -> [String] {
    var keys: [String] = []
    var next: String?
    repeat {
      var query = [(name: "list-type", value: "2"), (name: "prefix", value: prefix)]
      if let next { query.append((name: "continuation-token", value: next)) }
      let list = S3Text(try await send("GET", "", query: query).content)
      keys += list.values("Key")
      next = list.values("NextContinuationToken").first
    } while next != nil
    return keys
  }

  private func send(
    _ method: String, _ key: String, query: [(name: String, value: String)] = [], content: [UInt8] = []
  ) async throws -> ClientResponse {
    let (host, path) = address(of: key)
    let request = RequestSignature.Request(
      method: method, host: host, path: path, query: query, content: content)
    for pause in S3Client.pauses {
      do {
        return try await attempt(request)
      } catch let error as S3Error where error.mayPass {
        try await Task.sleep(for: pause)
      }
    }
    return try await attempt(request)
  }

  private func attempt(_ request: RequestSignature.Request) async throws -> ClientResponse {
    let signature = RequestSignature(credentials: settings.credentials, region: settings.region, date: .now)
    let parameters = request.query.isEmpty ? "" : "?" + request.encodedQuery
    let scheme = settings.endpoint?.scheme ?? "https"
    var outgoing = ClientRequest(
      request.method, "\(scheme)://\(request.host)\(request.encodedPath)\(parameters)",
      fields: signature.fields(of: request),
      content: request.content.isEmpty ? .none : .bytes(request.content))
    outgoing.responseLimit = S3Client.mostBytes
    outgoing.timeout = .seconds(120)
    let response: ClientResponse
    do { response = try await http.send(outgoing) } catch {
      throw S3Error.unanswered(error, host: request.host)
    }
    guard !(200...299).contains(response.status) else { return response }
    let text = S3Text(response.content)
    throw S3Error.refused(
      status: response.status, code: text.values("Code").first ?? "",
      message: text.values("Message").first ?? "",
      what: name(of: request.path))
  }

  /// AWS has a name for each bucket; other servers take it as the first part of the path, as does a bucket with dots, for which there
  /// is no certificate.
  private func address(of key: String) -> (host: String, path: String) {
    let host = "s3.\(settings.region).amazonaws.com"
    return hasBucketInPath
      ? (settings.endpoint?.host ?? host, "/\(location.bucket)/\(key)")
      : ("\(location.bucket).\(host)", "/\(key)")
  }

  private var hasBucketInPath: Bool { settings.endpoint != nil || location.bucket.contains(".") }

  /// The bucket, or an object of it, for people.
  private func name(of path: String) -> String {
    let path = hasBucketInPath ? path : "/\(location.bucket)\(path)"
    return "s3:/" + (path.hasSuffix("/") ? String(path.dropLast()) : path)
  }
}
