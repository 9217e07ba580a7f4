import GatehouseOutbound

/// The collector that spans are sent to, with the fields that it wants.
struct TraceEndpoint: Hashable, Sendable {
  let url: String
  let fields: [HeaderField]

  /// Adds the path of OTLP/HTTP to the URL of a collector, unless it is there. `headers` is `name=value,name=value`, as OpenTelemetry
  /// writes it. Throws ``CommandError`` where either is none.
  init(_ url: String, headers: String) throws(CommandError) {
    let expectation = "the URL of a collector, such as http://127.0.0.1:4318"
    let rest = url.hasPrefix("http://") ? url.dropFirst(7) : url.hasPrefix("https://") ? url.dropFirst(8) : ""
    guard !rest.isEmpty, !rest.hasPrefix("/"), !rest.contains(where: { $0 == " " || $0 == "?" || $0 == "#" })
    else {
      throw .invalidValue(name: "traces.endpoint", text: url, expected: expectation)
    }
    let path = "/v1/traces"
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.url = base.hasSuffix(path) ? base : base + path
    var fields = [HeaderField("content-type", "application/json")]
    for pair in headers.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw .invalidValue(name: "traces.headers", text: "another text", expected: "NAME=VALUE,NAME=VALUE")
      }
      fields.append(HeaderField(String(parts[0]), String(parts[1])))
    }
    self.fields = fields
  }
}
