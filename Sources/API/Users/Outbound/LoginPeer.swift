import GatehouseBSON
import GatehouseOutbound

/// Asks other servers about those who log in.
struct LoginPeer: Sendable {
  /// Returns the content of the answer to a request, where its status is 200.
  typealias Fetch = @Sendable (ClientRequest) async -> [UInt8]?

  private let fetch: Fetch

  init(_ fetch: @escaping Fetch) {
    self.fetch = fetch
  }

  /// `client` nil: there is no way out.
  init(_ client: HTTPClient?) {
    self.init { request in
      guard let client, let answer = try? await client.send(request), answer.status == 200 else { return nil }
      return answer.content
    }
  }

  /// Returns the JSON at a URL; nil: there is none, or the other server cannot be reached.
  func get(_ url: String) async -> Value? {
    await value(of: ClientRequest("GET", url, fields: [HeaderField("Accept", "application/json")]))
  }

  /// Returns the JSON that answers a form.
  func post(_ form: [(name: String, value: String)], to url: String) async -> Value? {
    let text = form.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    let fields = [
      HeaderField("Accept", "application/json"),
      HeaderField("Content-Type", "application/x-www-form-urlencoded"),
    ]
    return await value(of: ClientRequest("POST", url, fields: fields, content: .bytes(Array(text.utf8))))
  }

  private func value(of request: ClientRequest) async -> Value? {
    var request = request
    request.timeout = .seconds(10)
    guard let content = await fetch(request) else { return nil }
    return try? Value(json: content, as: .plain)
  }
}
