import GatehouseBSON
import GatehouseHTTP

/// The classes that parts of requests name, read before the requests are: what is malformed names none.
enum NamedClasses {
  /// Returns the classes of the operations of a transaction.
  static func ofTransaction(_ content: Value) -> [String] {
    guard case .array(let operations)? = content["operations"] else { return [] }
    return operations.compactMap { $0["class"]?.text }
  }

  /// Returns the class of a query.
  static func ofQuery(_ content: Value) -> [String] {
    content["from"]?.text.map { [$0] } ?? []
  }

  /// Returns the collections of a command of MongoDB's language: its own, and those that stages of a pipeline read or write.
  static func ofCommand(_ arguments: Value) -> [String] {
    guard let collection = arguments["collection"]?.text else { return [] }
    return [collection] + (arguments["pipeline"].map(ofPipeline) ?? [])
  }

  /// Returns the collection of a command that a client of App Services calls; none where it calls a function.
  static func ofCall(_ content: Value) -> [String] {
    guard content["service"]?.text?.isEmpty == false, case .array(let arguments)? = content["arguments"]
    else {
      return []
    }
    return arguments.first.map(ofCommand) ?? []
  }

  private static func ofPipeline(_ pipeline: Value) -> [String] {
    guard case .array(let stages) = pipeline else { return [] }
    return stages.flatMap { stage -> [String] in
      guard case .document(let members) = stage else { return [] }
      return members.elements.flatMap { ofStage($0.key, $0.value) }
    }
  }

  private static func ofStage(_ name: String, _ arguments: Value) -> [String] {
    switch name {
    case "$lookup", "$graphLookup":
      return [arguments["from"]?.text].compactMap(\.self) + (arguments["pipeline"].map(ofPipeline) ?? [])
    case "$unionWith":
      if let collection = arguments.text { return [collection] }
      return [arguments["coll"]?.text].compactMap(\.self) + (arguments["pipeline"].map(ofPipeline) ?? [])
    case "$out", "$merge":
      let target = arguments["into"] ?? arguments
      return [target.text ?? target["coll"]?.text].compactMap(\.self)
    case "$facet":
      guard case .document(let facets) = arguments else { return [] }
      return facets.elements.flatMap { ofPipeline($0.value) }
    default: return []
    }
  }

  /// Returns the classes that URLs of subscriptions, or of a ticket, lead to. Throws ``GroupError/several`` where one leads to all.
  static func ofSubscriptions(_ content: Value) throws(GroupError) -> [String] {
    var names: [String] = []
    for subscription in content.elements {
      guard let url = subscription["url"]?.text else { continue }
      names += try ofURL(url)
    }
    return names
  }

  /// Returns the classes that the URLs of a ticket lead to. Throws ``GroupError/several`` where one leads to all.
  static func ofTicket(_ content: Value) throws(GroupError) -> [String] {
    if let subscriptions = content["subscriptions"] { return try ofSubscriptions(subscriptions) }
    return try content["url"]?.text.map(ofURL) ?? []
  }

  /// Returns the class that the URL of a collection, an object or a property leads to. Throws ``GroupError/several`` where it leads to all.
  static func ofURL(_ url: String) throws(GroupError) -> [String] {
    let path = String(url.prefix { $0 != "?" && $0 != "#" })
    guard let segments = try? Target(path: path, query: nil).segments() else { return [] }
    return try ofPath(segments)
  }

  static func ofPath(_ segments: [String]) throws(GroupError) -> [String] {
    guard segments.count > 1, segments[0] == "v1", segments[1] == "collections" else { return [] }
    guard segments.count > 2 else { throw .several }
    return [segments[2]]
  }
}

extension Value {
  fileprivate subscript(name: String) -> Value? {
    if case .document(let members) = self { members[name] } else { nil }
  }

  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate var elements: [Value] { if case .array(let values) = self { values } else { [] } }
}
