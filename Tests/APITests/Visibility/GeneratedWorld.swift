/// Random objects of random classes, and rules of several roles for who may see them; or the same objects without what
/// the rules hide, removed here, from plain values.
struct GeneratedWorld {
  let schema: GeneratedSchema
  private(set) var objects: [PlainLink: [String: PlainValue]] = [:]
  /// All objects, in the order in which they are made.
  let links: [PlainLink]
  /// For each role the rules by class.
  let rules: [[String: GeneratedRule]]

  init(_ choose: inout Chooser) {
    let schema = GeneratedSchema(&choose)
    self.schema = schema
    links = schema.names.flatMap { name in
      (0..<(3 + choose.number(below: 5))).map { PlainLink(objectType: name, number: $0) }
    }
    let roleCount = choose.one(of: [1, 1, 2, 3])
    rules = (0..<roleCount).map { _ in
      Dictionary(
        uniqueKeysWithValues: schema.classes.filter { !$0.isEmbedded }.map {
          ($0.name, GeneratedRule.random(for: $0, &choose))
        })
    }
    for link in links { objects[link] = values(of: link.objectType, &choose) }
  }

  subscript(link: PlainLink) -> [String: PlainValue]? { objects[link] }

  /// The objects that a property links to, those of embedded objects in it left aside.
  func links(_ link: PlainLink, _ property: String) -> [PlainLink] { self[link]?[property]?.links ?? [] }

  func number(of link: PlainLink) -> Int {
    if case .number(let number)? = self[link]?["n"] { number } else { 0 }
  }

  /// Whether one of the roles lets the object be read.
  func shows(_ link: PlainLink) -> Bool { rules.contains { $0[link.objectType]?.holds(self, link) == true } }

  /// The objects that the caller may see, which link to no others.
  var visible: GeneratedWorld {
    seen(where: shows)
  }

  /// The objects for which that holds, which link to no others.
  func seen(where isShown: (PlainLink) -> Bool) -> GeneratedWorld {
    let shown = Set(objects.keys.filter(isShown))
    var world = self
    world.objects = [:]
    for link in shown {
      world.objects[link] = seen(objects[link] ?? [:], of: link.objectType, shown.contains)
    }
    return world
  }

  /// Gives a property another value.
  mutating func set(_ value: PlainValue, _ property: String, of link: PlainLink) {
    objects[link]?[property] = value
  }

  private func seen(
    _ values: [String: PlainValue], of objectType: String, _ shows: (PlainLink) -> Bool
  ) -> [String: PlainValue] {
    var values = values
    for property in schema[objectType]?.properties ?? [] {
      guard let value = values[property.name] else { continue }
      values[property.name] = seen(value, property.kind, shows)
    }
    return values
  }

  private func seen(
    _ value: PlainValue, _ kind: GeneratedSchema.Kind, _ shows: (PlainLink) -> Bool
  ) -> PlainValue {
    switch (kind, value) {
    case (.linkList, .list(let values)), (.linkSet, .list(let values)), (.mixedSet, .list(let values)):
      .list(values.filter { $0 == .null || $0.concealed(shows) != .null })
    case (.embedded(let part), .object(let values)): .object(seen(values, of: part, shows))
    case (.embeddedList(let part), .list(let values)):
      .list(values.map { seen($0, .embedded(part), shows) })
    case (.embeddedMap(let part), .map(let entries)):
      .map(entries.mapValues { seen($0, .embedded(part), shows) })
    default: value.concealed(shows)
    }
  }
}

// Making values.
extension GeneratedWorld {
  private func values(of objectType: String, _ choose: inout Chooser) -> [String: PlainValue] {
    var values: [String: PlainValue] = [:]
    for property in schema[objectType]?.properties ?? [] where !property.kind.isLinkingObjects {
      values[property.name] = value(of: property, &choose)
    }
    return values
  }

  func value(of property: GeneratedSchema.Property, _ choose: inout Chooser) -> PlainValue {
    func some(_ make: (inout Chooser) -> PlainValue) -> PlainValue {
      choose.chance(percent: 33) ? .null : make(&choose)
    }
    func entries(_ make: (inout Chooser) -> PlainValue) -> PlainValue {
      let keys = ["a", "b", "n"].prefix(choose.number(below: 4))
      return .map(Dictionary(uniqueKeysWithValues: keys.map { ($0, make(&choose)) }))
    }
    switch property.kind {
    case .int: return .number(choose.number(below: 5))
    case .double: return choose.one(of: [.null, .fraction(0.5), .fraction(1.5), .fraction(2)])
    case .text where property.name == "owner": return .text(choose.one(of: ["me", "you"]))
    case .text: return choose.one(of: ["a", "b", "a b", "ab c"].map(PlainValue.text) + [.null])
    case .ints: return .list(choose.several(3) { .number($0.number(below: 4)) })
    case .link(let target): return some { link(to: target, &$0) }
    case .linkList(let target): return .list(choose.several(4) { link(to: target, &$0) })
    case .linkSet(let target):
      return .list(choose.several(3) { link(to: target, &$0) }.withoutRepetitions)
    case .linkMap(let target):
      return entries { $0.chance(percent: 33) ? .null : link(to: target, &$0) }
    case .mixed: return mixed(&choose)
    case .mixedList: return .list(choose.several(3) { mixed(&$0) })
    case .mixedSet: return .list(choose.several(3) { mixed(&$0, depth: 2) }.withoutRepetitions)
    case .mixedMap: return entries { mixed(&$0) }
    case .embedded(let part): return some { .object(values(of: part, &$0)) }
    case .embeddedList(let part): return .list(choose.several(2) { .object(values(of: part, &$0)) })
    case .embeddedMap(let part): return entries { .object(values(of: part, &$0)) }
    case .linkingObjects: return .null
    }
  }

  private func link(to objectType: String, _ choose: inout Chooser) -> PlainValue {
    .link(choose.one(of: links.filter { $0.objectType == objectType }))
  }

  private func mixed(_ choose: inout Chooser, depth: Int = 0) -> PlainValue {
    switch choose.number(below: depth < 2 ? 9 : 7) {
    case 0: .null
    case 1: .number(choose.number(below: 4))
    case 2: .text(choose.one(of: ["a", "b"]))
    case 3...6: .link(choose.one(of: links))
    case 7: .list(choose.several(2) { mixed(&$0, depth: depth + 1) })
    default:
      .map(
        Dictionary(
          uniqueKeysWithValues: ["x", "n"].prefix(choose.number(below: 3)).map {
            ($0, mixed(&choose, depth: depth + 1))
          }))
    }
  }
}

// Making the store.
extension GeneratedWorld {
  /// The operations that make the objects, and then say all that is in them.
  var operations: String {
    let made = links.compactMap { link in
      self[link].map { object in
        """
        {"op":"create","class":"\(link.objectType)","value":{"id":\(id(of: link)),"n":\(number(of: link)),\
        "owner":\(json(object["owner"] ?? .null, .text))}}
        """
      }
    }
    let filled = links.compactMap { link in
      self[link].map { object in
        """
        {"op":"put","class":"\(link.objectType)","id":\(id(of: link)),"value":{"id":\(id(of: link)),\
        \(members(object, of: link.objectType))}}
        """
      }
    }
    return "{\"operations\":[\((made + filled).joined(separator: ","))]}"
  }

  /// The roles, which `role0` is the first of.
  var roles: String {
    json(rules.map { rules in rules.mapValues { rule in rule.filter.map { "\"\($0)\"" } ?? "true" } })
  }

  /// A role that lets everything be read, by rules where ``roles`` has rules.
  var openRoles: String {
    json([
      Dictionary(
        uniqueKeysWithValues: schema.names.map { name in
          let isOpen = rules.contains { $0[name]?.filter == nil }
          return (name, isOpen ? "true" : "\"id != \(schema[name]?.hasTextKeys == true ? "'-'" : "-1")\"")
        })
    ])
  }

  private func json(_ roles: [[String: String]]) -> String {
    let texts = roles.enumerated().map { number, rules in
      let classes = rules.sorted { $0.key < $1.key }.map {
        "\"\($0.key)\":{\"read\":\($0.value),\"write\":true}"
      }
      return "\"role\(number)\":{\"classes\":{\(classes.joined(separator: ","))}}"
    }
    return "{\(texts.joined(separator: ","))}"
  }

  /// The primary key as JSON; in a filter it is in single quotes where it is a text.
  func id(of link: PlainLink, quote: String = "\"") -> String {
    schema[link.objectType]?.hasTextKeys == true ? "\(quote)k\(link.number)\(quote)" : "\(link.number)"
  }

  /// The members of an object that is not in the world, as JSON.
  func members(ofNew link: PlainLink, _ choose: inout Chooser) -> String {
    "\"id\":\(id(of: link)),\(members(values(of: link.objectType, &choose), of: link.objectType))"
  }

  private func members(_ values: [String: PlainValue], of objectType: String) -> String {
    let properties = schema[objectType]?.properties.filter { values[$0.name] != nil } ?? []
    return properties.map { "\"\($0.name)\":\(json(values[$0.name] ?? .null, $0.kind))" }.joined(
      separator: ",")
  }

  /// A value of a property as clients write it.
  func json(_ value: PlainValue, _ kind: GeneratedSchema.Kind) -> String {
    switch value {
    case .null: "null"
    case .number(let number): "\(number)"
    case .fraction(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .link(let link):
      kind.isMixed ? "{\"$ref\":\"\(link.objectType)\",\"$id\":\(id(of: link))}" : id(of: link)
    case .list(let values): "[\(values.map { json($0, kind) }.joined(separator: ","))]"
    case .map(let entries):
      "{\(entries.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\(json($0.value, kind))" }.joined(separator: ","))}"
    case .object(let values): "{\(members(values, of: kind.target ?? ""))}"
    }
  }
}

extension [PlainValue] {
  fileprivate var withoutRepetitions: [PlainValue] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
