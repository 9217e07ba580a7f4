/// By which requests to an S3 server are signed.
struct S3Credentials: Hashable, Sendable {
  let keyID: String
  let secret: String
  /// The token of credentials that are good for a time.
  var token: String?
}

/// How an S3 server is reached, as the variables of the AWS command line say it.
struct S3Settings: Hashable, Sendable {
  let credentials: S3Credentials
  let region: String
  /// A URL without a path; nil: AWS' own.
  let endpoint: S3Endpoint?
  /// A file of the authorities that the server's certificate may come from.
  let certificates: String?

  /// Throws ``S3Error`` where there are no credentials, ``CommandError`` where a variable is wrong.
  init(_ environment: Environment) throws {
    let values = Dictionary(
      environment.variables.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last }
    )
    .filter { !$0.value.isEmpty }
    guard let keyID = values["AWS_ACCESS_KEY_ID"], let secret = values["AWS_SECRET_ACCESS_KEY"] else {
      throw S3Error.missingCredentials
    }
    credentials = S3Credentials(keyID: keyID, secret: secret, token: values["AWS_SESSION_TOKEN"])
    region = values["AWS_REGION"] ?? values["AWS_DEFAULT_REGION"] ?? "us-east-1"
    certificates = values["AWS_CA_BUNDLE"]
    let name = values["AWS_ENDPOINT_URL_S3"] != nil ? "AWS_ENDPOINT_URL_S3" : "AWS_ENDPOINT_URL"
    endpoint = try values[name].map { text in
      guard let endpoint = S3Endpoint(text) else {
        throw CommandError.invalidValue(
          name: name, text: text, expected: "a URL such as https://s3.example.org")
      }
      return endpoint
    }
  }
}

/// The server of a URL: `http://127.0.0.1:9000`.
struct S3Endpoint: Hashable, Sendable {
  let scheme: String
  /// With the port, where it is not that of the scheme.
  let host: String

  init(scheme: String, host: String) {
    self.scheme = scheme
    self.host = host
  }

  /// Nil: the text is something else.
  init?(_ text: String) {
    guard let scheme = ["http", "https"].first(where: { text.hasPrefix("\($0)://") }) else { return nil }
    var host = text.dropFirst(scheme.count + 3)
    if host.hasSuffix("/") { host.removeLast() }
    let port = scheme == "http" ? ":80" : ":443"
    if host.hasSuffix(port) { host.removeLast(port.count) }
    guard !host.isEmpty, !host.contains(where: { "/?#@ ".contains($0) }) else { return nil }
    self.init(scheme: scheme, host: host.lowercased())
  }
}
