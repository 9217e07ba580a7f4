/// Random classes with every kind of property through which an object may be seen.
struct GeneratedSchema {
  /// The type of a property, with the class that it leads to.
  enum Kind: Hashable {
    case int, double, text, ints, mixed, mixedList, mixedSet, mixedMap
    case link(String)
    case linkList(String)
    case linkSet(String)
    case linkMap(String)
    case embedded(String)
    case embeddedList(String)
    case embeddedMap(String)
    case linkingObjects(String, property: String)
  }

  struct Property {
    let name: String
    let kind: Kind
    /// As the notation has it; nil: none.
    var index: String?
  }

  struct Class {
    let name: String
    let isEmbedded: Bool
    /// Whether primary keys are texts, not numbers.
    let hasTextKeys: Bool
    var properties: [Property]

    subscript(name: String) -> Property? { properties.first { $0.name == name } }
  }

  private(set) var classes: [Class] = []
  let names: [String]
  let embeddedNames: [String]

  init(_ choose: inout Chooser) {
    names = Array(["A", "B", "C", "D"].prefix(2 + choose.number(below: 3)))
    embeddedNames = Array(["E", "F"].prefix(choose.number(below: 3)))
    for name in embeddedNames { classes.append(embeddedClass(name, &choose)) }
    for name in names { classes.append(topLevelClass(name, &choose)) }
    for index in classes.indices where !classes[index].isEmbedded { addLinkingObjects(to: index, &choose) }
  }

  subscript(name: String) -> Class? { classes.first { $0.name == name } }

  private func embeddedClass(_ name: String, _ choose: inout Chooser) -> Class {
    var properties = [Property(name: "city", kind: .text), Property(name: "m", kind: .int)]
    for number in 0...choose.number(below: 3) {
      let target = choose.one(of: names)
      let kinds: [Kind] = [
        .link(target), .linkList(target), .linkSet(target), .linkMap(target), .mixed, .mixedList,
      ]
      properties.append(Property(name: "\(name.lowercased())\(number)", kind: choose.one(of: kinds)))
    }
    if name == "E", embeddedNames.count > 1, choose.chance(percent: 60) {
      properties.append(Property(name: "sub", kind: choose.one(of: [.embedded("F"), .embeddedList("F")])))
    }
    return Class(name: name, isEmbedded: true, hasTextKeys: false, properties: properties)
  }

  private func topLevelClass(_ name: String, _ choose: inout Chooser) -> Class {
    var properties = [
      Property(name: "owner", kind: .text), Property(name: "n", kind: .int),
      Property(name: "s", kind: .text), Property(name: "d", kind: .double),
    ]
    for number in 0..<(2 + choose.number(below: 5)) {
      let target = choose.one(of: names)
      var kinds: [Kind] = [
        .link(target), .link(target), .linkList(target), .linkSet(target), .linkMap(target), .mixed,
        .mixedList, .mixedSet, .mixedMap, .ints,
      ]
      if !embeddedNames.isEmpty {
        let part = choose.one(of: embeddedNames)
        kinds += [.embedded(part), .embeddedList(part), .embeddedMap(part)]
      }
      properties.append(Property(name: "\(name.lowercased())\(number)", kind: choose.one(of: kinds)))
    }
    for index in properties.indices where properties[index].kind.isIndexable {
      if choose.chance(percent: 30) { properties[index].index = "true" }
    }
    if properties[2].index == nil, choose.chance(percent: 40) { properties[2].index = "\"full-text\"" }
    return Class(
      name: name, isEmbedded: false, hasTextKeys: choose.chance(percent: 33), properties: properties)
  }

  private mutating func addLinkingObjects(to index: Int, _ choose: inout Chooser) {
    let sources = self.sources(of: classes[index].name).filter { self[$0.objectType]?.isEmbedded == false }
    for number in 0..<min(2, sources.count) {
      let source = choose.one(of: sources)
      classes[index].properties.append(
        Property(name: "back\(number)", kind: .linkingObjects(source.objectType, property: source.property)))
    }
  }

  /// The properties that link to a class, those of embedded classes included.
  func sources(of target: String) -> [(objectType: String, property: String)] {
    classes.flatMap { type in
      type.properties.filter { $0.kind.target == target && !$0.kind.isLinkingObjects }.map {
        (type.name, $0.name)
      }
    }
  }

  /// The classes as JSON.
  var notation: String {
    let texts = classes.map { type in
      let key = type.hasTextKeys ? "string" : "int"
      let properties =
        (type.isEmbedded ? [] : ["\"id\":\"\(key)\""])
        + type.properties.map { "\"\($0.name)\":\($0.notation)" }
      let kind = type.isEmbedded ? "\"embedded\":true" : "\"primaryKey\":\"id\""
      return "{\"name\":\"\(type.name)\",\(kind),\"properties\":{\(properties.joined(separator: ","))}}"
    }
    return "[\(texts.joined(separator: ","))]"
  }
}

extension GeneratedSchema.Property {
  fileprivate var notation: String {
    if case .linkingObjects(let source, let property) = kind {
      return #"{"type":"linkingObjects","objectType":"\#(source)","property":"\#(property)"}"#
    }
    guard let index else { return "\"\(kind.notation)\"" }
    return "{\"type\":\"\(kind.notation)\",\"indexed\":\(index)}"
  }
}

extension GeneratedSchema.Kind {
  /// The class that the property leads to; nil: to none, or to any.
  var target: String? {
    switch self {
    case .link(let name), .linkList(let name), .linkSet(let name), .linkMap(let name), .embedded(let name),
      .embeddedList(let name), .embeddedMap(let name), .linkingObjects(let name, _):
      name
    case .int, .double, .text, .ints, .mixed, .mixedList, .mixedSet, .mixedMap: nil
    }
  }

  var isLinkingObjects: Bool { if case .linkingObjects = self { true } else { false } }

  var isMixed: Bool {
    switch self {
    case .mixed, .mixedList, .mixedSet, .mixedMap: true
    default: false
    }
  }

  /// Whether a path through it goes on at one object by its name alone.
  var isToOne: Bool {
    switch self {
    case .link, .embedded: true
    default: false
    }
  }

  var isMap: Bool {
    switch self {
    case .linkMap, .embeddedMap, .mixedMap: true
    default: false
    }
  }

  var isList: Bool {
    switch self {
    case .linkList, .embeddedList, .mixedList, .ints: true
    default: false
    }
  }

  fileprivate var isIndexable: Bool { [.int, .text, .mixed].contains(self) }

  fileprivate var notation: String {
    switch self {
    case .int: "int"
    case .double: "double?"
    case .text: "string?"
    case .ints: "int[]"
    case .mixed: "mixed"
    case .mixedList: "mixed[]"
    case .mixedSet: "mixed<>"
    case .mixedMap: "mixed{}"
    case .link(let name), .embedded(let name): "\(name)?"
    case .linkList(let name), .embeddedList(let name): "\(name)[]"
    case .linkSet(let name): "\(name)<>"
    case .linkMap(let name), .embeddedMap(let name): "\(name){}"
    case .linkingObjects: ""
    }
  }
}
