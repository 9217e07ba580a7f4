import GatehouseBSON
import GatehouseHTTP
import GatehouseTestSupport

/// A read of a generated world by any route.
struct GeneratedQuestion {
  var method = GatehouseHTTP.Method.get
  var target: String
  var fields: [String: String] = [:]
  var content: String?

  /// Chooses a question of any route.
  static func random(in world: GeneratedWorld, _ choose: inout Chooser) -> GeneratedQuestion {
    let choice = choose.number(below: 20)
    if choice == 0 { return GeneratedQuestion(target: "/v1/collections") }
    var question = choice < 12 ? collection(in: world, &choose) : place(in: world, &choose)
    if choose.chance(percent: 50) { question.fields["prefer"] = "count=exact" }
    let types = ["application/ejson", "application/bson", "application/x-ndjson"]
    if choose.chance(percent: 30) { question.fields["accept"] = choose.one(of: types) }
    return question
  }

  /// A query of a class: objects, aggregates, or sections.
  private static func collection(in world: GeneratedWorld, _ choose: inout Chooser) -> GeneratedQuestion {
    let objectType = choose.one(of: world.schema.names)
    let parameters = query(of: objectType, in: world, &choose)
    let path = "/v1/collections/\(objectType)"
    guard choose.chance(percent: 30) else {
      return GeneratedQuestion(target: path + encoded(parameters))
    }
    let members = parameters.map { name, value in
      "\"\(name)\":"
        + (name == "limit" ? value : String(decoding: Value.string(value).plainJSON, as: UTF8.self))
    }
    return GeneratedQuestion(
      method: .query, target: path, fields: ["content-type": "application/json"],
      content: "{\(members.joined(separator: ","))}")
  }

  /// The parameters of a query, which a stream of results can be opened with as well.
  static func query(
    of objectType: String, in world: GeneratedWorld, _ choose: inout Chooser
  ) -> [(String, String)] {
    let filters = GeneratedFilter(world: world)
    var parameters: [(String, String)] = []
    if choose.chance(percent: 80) {
      var filter = filters.filter(on: objectType, &choose)
      if choose.chance(percent: 15) {
        let path = order(of: objectType, filters, &choose)
        filter += choose.one(of: [" LIMIT(2)", " SORT(\(path) DESC) LIMIT(2)", " DISTINCT(\(path))"])
      }
      parameters.append(("filter", filter))
    }
    if choose.chance(percent: 20) {
      return parameters + [("aggregate", aggregate(of: objectType, filters, &choose))]
    }
    if choose.chance(percent: 45) {
      let paths = (0...choose.number(below: 2)).map { _ in order(of: objectType, filters, &choose) }
      parameters.append(("sort", paths.map { choose.one(of: ["", "-"]) + $0 }.joined(separator: ",")))
    }
    if choose.chance(percent: 20) {
      parameters.append(("distinct", order(of: objectType, filters, &choose)))
    }
    if choose.chance(percent: 40) { parameters.append(("limit", "\(1 + choose.number(below: 3))")) }
    if choose.chance(percent: 10) {
      parameters.append(("sectionBy", order(of: objectType, filters, &choose)))
    }
    return parameters + shown(of: objectType, filters, &choose)
  }

  /// A value, a collection or a question about one, inside an object.
  private static func place(in world: GeneratedWorld, _ choose: inout Chooser) -> GeneratedQuestion {
    let filters = GeneratedFilter(world: world)
    let link = choose.one(of: world.links)
    var segments = [world.id(of: link, quote: "")]
    var objectType: String? = link.objectType
    var kind: GeneratedSchema.Kind?
    for _ in 0..<choose.number(below: 4) {
      guard let type = objectType.flatMap({ world.schema[$0] }) else { break }
      let property = choose.one(of: type.properties)
      segments.append(property.name)
      kind = property.kind
      objectType = nil
      if property.kind.isToOne { objectType = property.kind.target }
      guard choose.chance(percent: 70) else { continue }
      if property.kind.isList || property.kind.isMap {
        segments.append(choose.one(of: property.kind.isMap ? ["a", "b"] : ["0", "1", "2", "-1", "-2"]))
        objectType = property.kind.target
      }
      if property.kind.isMixed {
        segments += choose.one(of: [[], ["n"], ["owner"], ["0"], ["x"], ["0", "n"]])
      }
    }
    let parameters =
      segments.count == 1
      ? shown(of: link.objectType, filters, &choose)
      : kind.map { windowOrQuestion(for: $0, world, &choose) } ?? []
    let path = segments.map(\.percentEncoded).joined(separator: "/")
    return GeneratedQuestion(target: "/v1/collections/\(link.objectType)/\(path)\(encoded(parameters))")
  }

  private static func windowOrQuestion(
    for kind: GeneratedSchema.Kind, _ world: GeneratedWorld, _ choose: inout Chooser
  ) -> [(String, String)] {
    let filters = GeneratedFilter(world: world)
    var parameters: [(String, String)] = []
    switch choose.number(below: 7) {
    case 0:
      let ofValues = ["self == null", "self != null", "self == 1", "self.@type == 'object'", "self.n == 2"]
      parameters.append(
        ("filter", kind.target.map { filters.filter(on: $0, &choose) } ?? choose.one(of: ofValues)))
    case 1: return [(choose.one(of: ["contains", "indexOf"]), element(of: kind, world, &choose))]
    case 2:
      parameters.append(
        (
          "aggregate",
          kind.target.map { aggregate(of: $0, filters, &choose) } ?? choose.one(of: ["@max", "@sum"])
        ))
    case 3: parameters.append(("only", choose.one(of: ["count", "keys", "values"])))
    case 4: if let target = kind.target { parameters += shown(of: target, filters, &choose) }
    case 5: parameters.append(("sort", kind.target.map { order(of: $0, filters, &choose) } ?? "-self"))
    default: break
    }
    if choose.chance(percent: 40) { parameters.append(("limit", "\(1 + choose.number(below: 2))")) }
    return parameters
  }

  /// An element that a collection may have, as JSON.
  private static func element(
    of kind: GeneratedSchema.Kind, _ world: GeneratedWorld, _ choose: inout Chooser
  ) -> String {
    if kind.isMap, choose.chance(percent: 60) { return "a" }
    let links = world.links.filter { kind.target == nil || $0.objectType == kind.target }
    guard !links.isEmpty else { return "null" }
    let link = world.json(.link(choose.one(of: links)), kind)
    return choose.one(
      of: kind.isMixed ? [link, "[\(link)]", "[null]", "{\"x\":\(link)}", "null"] : [link, "null"])
  }

  private static func order(
    of objectType: String, _ filters: GeneratedFilter, _ choose: inout Chooser
  ) -> String {
    let path = filters.path(from: objectType, atMost: 2, hasOrder: true, &choose)
    let end = filters.property(of: path.objectType, &choose) { [.int, .text, .double, .mixed].contains($0) }
    return path.to(end ?? "n")
  }

  private static func aggregate(
    of objectType: String, _ filters: GeneratedFilter, _ choose: inout Chooser
  ) -> String {
    let terms = (0...choose.number(below: 3)).map { _ in
      let path = filters.path(from: objectType, atMost: 2, &choose)
      let end = filters.property(of: path.objectType, &choose) { [.int, .double, .mixed].contains($0) }
      return end.map { "\(path.to($0)).@\(choose.one(of: ["sum", "min", "max", "avg"]))" } ?? "@count"
    }
    return Set(terms).sorted().joined(separator: ",")
  }

  /// `fields` or `expand`, or neither.
  private static func shown(
    of objectType: String, _ filters: GeneratedFilter, _ choose: inout Chooser
  ) -> [(String, String)] {
    let schema = filters.world.schema
    func way(_ depth: Int, _ choose: inout Chooser) -> (names: [String], objectType: String) {
      var (names, objectType) = ([String](), objectType)
      for _ in 0..<depth {
        guard let name = filters.property(of: objectType, &choose, where: { $0.target != nil }) else { break }
        names.append(name)
        objectType = schema[objectType]?[name]?.kind.target ?? ""
      }
      return (names, objectType)
    }
    switch choose.number(below: 3) {
    case 0: return []
    case 1:
      let paths = (0...choose.number(below: 2)).map { _ in
        way(1 + choose.number(below: 2), &choose).names.joined(separator: ".")
      }.filter { !$0.isEmpty }
      return paths.isEmpty ? [] : [("expand", Set(paths).sorted().joined(separator: ","))]
    default:
      let paths = (0...choose.number(below: 4)).map { number in
        let (names, target) = way(choose.number(below: 3), &choose)
        let end = filters.property(of: target, &choose) { _ in true } ?? "id"
        return (choose.chance(percent: 25) ? "z\(number):" : "") + (names + [end]).joined(separator: ".")
      }
      return [("fields", Set(paths).sorted().joined(separator: ","))]
    }
  }

  static func encoded(_ parameters: [(String, String)]) -> String {
    guard !parameters.isEmpty else { return "" }
    return "?" + parameters.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
  }
}
