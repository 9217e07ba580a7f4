import GatehouseModel
import GatehouseServer

/// The text that a started server prints: where it is, what it holds, and what to try.
struct FirstScreen {
  let listeners: [Listener]
  let schema: Schema
  let counts: [(objectType: String, count: Int)]

  var text: String {
    """
    Gatehouse \(ProductVersion.text) is listening at \(listeners.map(\.url).joined(separator: ", "))

    \(holdings)

    \(console)Try:
    \(suggestions.map { "  " + $0 }.joined(separator: "\n"))

    Ctrl-C stops it.

    """
  }

  /// The page for browsers, which do not open sockets of a file system.
  private var console: String {
    let listener = listeners.first { if case .unix = $0.address { false } else { true } }
    return listener.map { "Look at it in a browser: \($0.url)/console\n\n" } ?? ""
  }

  /// The command with what it needs to reach the server, up to the path.
  private var curl: String {
    guard let listener = listeners.first else { return "curl" }
    guard case .unix(let path) = listener.address else { return "curl \(listener.url)" }
    return "curl --unix-socket \(path) \(listener.isSecure ? "https" : "http")://localhost"
  }

  private var holdings: String {
    if counts.isEmpty { return "There are no classes yet." }
    let width = counts.map(\.objectType.count).max() ?? 0
    return counts.map { entry in
      "  \(entry.objectType)" + String(repeating: " ", count: width - entry.objectType.count)
        + "  \(Quantity.grouped(entry.count)) objects"
    }.joined(separator: "\n")
  }

  private var suggestions: [String] {
    guard let example else {
      return [
        "gatehouse schema apply Config/sample/schema.json (while the server is stopped)",
        "\(curl)/openapi.yaml",
      ]
    }
    return [
      "\(curl)/v1/collections", "\(curl)/v1/collections/\(example.name) --get -d limit=1",
      "\(curl)/v1/collections/\(example.name) --get" + query(on: example), "\(curl)/openapi.yaml",
    ]
  }

  /// The last class that has objects: schemas tend to name the larger classes later.
  private var example: ObjectType? {
    let name = counts.last { $0.count > 0 }?.objectType ?? counts.last?.objectType
    return name.flatMap { schema[$0] }
  }

  private func query(on objectType: ObjectType) -> String {
    var query = ""
    if let text = property(of: objectType, where: { $0 == .string }) {
      query += #" --data-urlencode 'filter=\#(text) BEGINSWITH "G"'"#
    }
    if let number = property(of: objectType, where: { [.int, .double, .float].contains($0) }) {
      query += " -d sort=-\(number)"
    }
    return query + " -d limit=3"
  }

  /// The name of a property of such a type, one with an index before others.
  private func property(of objectType: ObjectType, where fits: (ElementType) -> Bool) -> String? {
    let candidates = objectType.properties.enumerated().filter { offset, property in
      guard case .one(let type, _) = property.type else { return false }
      return fits(type) && offset != objectType.primaryKeyIndex
    }.map(\.element)
    return (candidates.first { $0.index == .general } ?? candidates.first)?.name
  }
}

extension Listener {
  /// The address as people read it.
  fileprivate var url: String {
    if case .unix = address { return address.description }
    return "\(isSecure ? "https" : "http")://\(address.local)"
  }
}
