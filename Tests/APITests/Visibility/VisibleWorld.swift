import GatehouseSeeded

/// Seeded objects, rules for who may see them, and the same objects without what the rules hide: removed here, from plain
/// values, and by nothing of the gateway's.
struct VisibleWorld {
  /// The rule for the objects of a class: as roles have it, and as a function of the plain objects.
  enum Rule: String, CaseIterable {
    case everything = "true"
    case nothing = "\"FALSEPREDICATE\""
    case own = "\"owner == 'me'\""
    case large = "\"n > 2 OR owner == 'me'\""
    /// Through a link, to objects that may be hidden themselves.
    case linked = "\"notebook.owner == 'me' OR notebook == null\""
    case counted = "\"notes.@count > 1 OR owner == 'me'\""

    static let ofNotes: [Rule] = [.everything, .own, .large, .linked]
    static let ofNotebooks: [Rule] = [.everything, .nothing, .own, .counted]
    static let ofTags: [Rule] = [.everything, .nothing, .own]
  }

  struct Link: Hashable {
    let objectType: String
    let id: Int
  }

  struct Notebook {
    var owner: String
    var name: String?
    var cover: Int?
  }

  struct Note {
    var owner: String
    var n: Int
    var text: String
    var notebook: Int?
    var others: [Int]
    var tags: Set<Int>
    var shelf: [String: Int?]
    var mix: Content
    var mixes: [Content]
    var bag: [Content]
    var city: String?
    var at: Int?
  }

  /// A mixed value.
  indirect enum Content: Hashable {
    case null
    case number(Int)
    case text(String)
    case link(Link)
    case list([Content])
  }

  /// A property that roles may hide.
  struct Property: Hashable {
    let objectType: String
    let name: String
    let type: String
    /// The property whose links lead here, for linking objects.
    var source: String?

    /// Whether the property is one of somebody to whom those do not exist.
    func exists(without hidden: Set<String>) -> Bool {
      !hidden.contains("\(objectType).\(name)") && source.map(hidden.contains) != true
    }
  }

  private static func linking(_ objectType: String, _ name: String, _ property: String) -> Property {
    Property(
      objectType: objectType, name: name,
      type: #"{"type":"linkingObjects","objectType":"Note","property":"\#(property)"}"#,
      source: "Note.\(property)")
  }

  /// A property that is optional or, so that objects can be made without it, has a default.
  private static func property(
    _ objectType: String, _ name: String, _ type: String, _ value: String? = nil
  ) -> Property {
    let notation = value.map { #"{"type":"\#(type)","default":\#($0)}"# } ?? "\"\(type)\""
    return Property(objectType: objectType, name: name, type: notation)
  }

  private static let properties: [Property] = [
    property("Notebook", "owner", "string", "\"me\""), property("Notebook", "name", "string?"),
    property("Notebook", "cover", "Note?"), linking("Notebook", "notes", "notebook"),
    property("Tag", "owner", "string", "\"me\""), linking("Tag", "notes", "tags"),
    property("Note", "owner", "string", "\"me\""), property("Note", "n", "int", "0"),
    property("Note", "text", "string", "\"\""),
    property("Note", "notebook", "Notebook?"), property("Note", "others", "Note[]"),
    property("Note", "tags", "Tag<>"), property("Note", "shelf", "Notebook{}"),
    property("Note", "mix", "mixed"), property("Note", "mixes", "mixed[]"),
    property("Note", "bag", "mixed<>"),
    property("Note", "place", "Place?"), linking("Note", "before", "others"),
  ]

  /// The schema without the properties that the role hides.
  static func schema(without hidden: Set<String> = []) -> String {
    let classes = ["Notebook", "Tag", "Note"].map { name in
      let properties = properties.filter { $0.objectType == name && $0.exists(without: hidden) }
      let members = [#""id":"int""#] + properties.map { "\"\($0.name)\":\($0.type)" }
      return #"{"name":"\#(name)","primaryKey":"id","properties":{\#(members.joined(separator: ","))}}"#
    }
    let place = #"{"name":"Place","embedded":true,"properties":{"city":"string?","at":"Notebook?"}}"#
    return "[\((classes + [place]).joined(separator: ","))]"
  }

  static let ids = 0..<7
  let rules: (note: Rule, notebook: Rule, tag: Rule)
  /// The properties that do not exist for the caller: `Note.text`.
  let hidden: Set<String>
  var notebooks: [Int: Notebook] = [:]
  var notes: [Int: Note] = [:]
  var tags: [Int: String] = [:]
  /// The identifiers of tags in the order in which they were made, which is that of sets of links.
  var tagOrder = [0, 1, 2]
  /// How often an object was made again that was deleted.
  var births: [Link: Int] = [:]

  /// - Parameter choice: The rules that there may be.
  init(_ random: inout SeededGenerator, rules choice: [Rule] = Rule.allCases) {
    func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
      choices.randomElement(using: &random)!
    }
    func rule(_ rules: [Rule]) -> Rule { pick(rules.filter(choice.contains)) }
    rules = (rule(Rule.ofNotes), rule(Rule.ofNotebooks), rule(Rule.ofTags))
    let count = pick([0, 1, 2, 4])
    hidden = Set(
      VisibleWorld.properties.shuffled(using: &random).prefix(count).map { "\($0.objectType).\($0.name)" })
    let owners = ["me", "you"]
    func id(of range: Range<Int> = VisibleWorld.ids) -> Int { pick(range) }
    func content(depth: Int = 0) -> Content {
      switch Int.random(in: 0..<(depth == 0 ? 8 : 7), using: &random) {
      case 0: .null
      case 1: .number(id())
      case 2: .text(pick(["a", "b"]))
      case 3, 4: .link(Link(objectType: "Note", id: id()))
      case 5: .link(Link(objectType: "Notebook", id: id(of: 0..<4)))
      case 6: .link(Link(objectType: "Tag", id: id(of: 0..<3)))
      default: .list((0..<2).map { _ in content(depth: 1) })
      }
    }
    for id in 0..<4 {
      notebooks[id] = Notebook(
        owner: pick(owners), name: pick(["a", "b", nil]),
        cover: pick([nil] + VisibleWorld.ids.map { Optional($0) }))
    }
    for id in 0..<3 { tags[id] = pick(owners) }
    for key in VisibleWorld.ids {
      let books = [nil, 0, 1, 2, 3] as [Int?]
      notes[key] = Note(
        owner: pick(owners), n: id(), text: pick(["a", "b", "c"]), notebook: pick(books),
        others: (0..<Int.random(in: 0..<4, using: &random)).map { _ in id() },
        tags: Set((0..<2).map { _ in id(of: 0..<3) }),
        shelf: Dictionary(["a", "b"].prefix(Int.random(in: 0..<3, using: &random)).map { ($0, pick(books)) })
        {
          first, _ in first
        }, mix: content(), mixes: (0..<3).map { _ in content() },
        bag: Array(Set((0..<3).map { _ in content(depth: 1) })), city: pick(["x", "y", nil]), at: pick(books))
    }
  }

  /// Whether the caller may see an object.
  func shows(_ link: Link) -> Bool {
    switch link.objectType {
    case "Note":
      guard let note = notes[link.id] else { return false }
      switch rules.note {
      case .everything: return true
      case .own: return note.owner == "me"
      case .large: return note.n > 2 || note.owner == "me"
      default: return note.notebook.map { notebooks[$0]?.owner == "me" } ?? true
      }
    case "Notebook":
      guard let notebook = notebooks[link.id] else { return false }
      switch rules.notebook {
      case .everything: return true
      case .nothing: return false
      case .own: return notebook.owner == "me"
      default: return notebook.owner == "me" || notes.values.count { $0.notebook == link.id } > 1
      }
    default:
      switch rules.tag {
      case .everything: return tags[link.id] != nil
      case .nothing: return false
      default: return tags[link.id] == "me"
      }
    }
  }

  /// The objects that the caller may see, which link to no others.
  var visible: VisibleWorld { pruned(shows) }

  /// The part of this world that its past shows in a later one: the objects that the caller could see and may see there, too.
  func visible(in later: VisibleWorld) -> VisibleWorld {
    pruned { link in
      shows(link)
        && (rule(for: link.objectType) == .everything
          || later.shows(link) && later.births[link] == births[link])
    }
  }

  private func rule(for objectType: String) -> Rule {
    switch objectType {
    case "Note": rules.note
    case "Notebook": rules.notebook
    default: rules.tag
    }
  }

  /// The objects that are shown, which link to no others.
  func pruned(_ shows: (Link) -> Bool) -> VisibleWorld {
    var world = self
    func seen(_ objectType: String, _ id: Int?) -> Int? {
      id.flatMap { shows(Link(objectType: objectType, id: $0)) ? $0 : nil }
    }
    func seen(_ content: Content) -> Content {
      switch content {
      case .link(let link): shows(link) ? content : .null
      case .list(let contents): .list(contents.map(seen))
      case .null, .number, .text: content
      }
    }
    world.notebooks = notebooks.filter { shows(Link(objectType: "Notebook", id: $0.key)) }
    world.tags = tags.filter { shows(Link(objectType: "Tag", id: $0.key)) }
    world.notes = notes.filter { shows(Link(objectType: "Note", id: $0.key)) }
    for (id, notebook) in world.notebooks { world.notebooks[id]?.cover = seen("Note", notebook.cover) }
    for (id, note) in world.notes {
      world.notes[id]?.notebook = seen("Notebook", note.notebook)
      world.notes[id]?.others = note.others.compactMap { seen("Note", $0) }
      world.notes[id]?.tags = note.tags.filter { shows(Link(objectType: "Tag", id: $0)) }
      world.notes[id]?.shelf = note.shelf.mapValues { seen("Notebook", $0) }
      world.notes[id]?.mix = seen(note.mix)
      world.notes[id]?.mixes = note.mixes.map(seen)
      world.notes[id]?.bag = note.bag.filter { $0 == .null || seen($0) != .null }
      world.notes[id]?.at = seen("Notebook", note.at)
    }
    return world
  }

  /// Whether the caller sees all that there is.
  var showsEverything: Bool {
    hidden.isEmpty && rules.note == .everything && rules.notebook == .everything && rules.tag == .everything
  }

  /// The role of the caller.
  var role: String {
    let classes = [("Note", rules.note), ("Notebook", rules.notebook), ("Tag", rules.tag)].map { name, rule in
      let fields = hidden.filter { $0.hasPrefix("\(name).") }.sorted()
        .map { #""\#($0.dropFirst(name.count + 1))":{"read":false}"# }
      return
        #""\#(name)":{"read":\#(rule.rawValue),"write":true,"fields":{\#(fields.joined(separator: ","))}}"#
    }
    return #"{"member":{"classes":{\#(classes.joined(separator: ","))}}}"#
  }

  /// The operations that make the objects, and then their links, in the order of identifiers; `hidden` are the
  /// properties that there are not.
  func operations(without hidden: Set<String> = []) -> [String] {
    var made: [String] = []
    var linked: [String] = []
    func members(_ objectType: String, _ members: [(String, String)]) -> String {
      members.filter { !hidden.contains("\(objectType).\($0.0)") }.map { "\"\($0.0)\":\($0.1)" }
        .joined(separator: ",")
    }
    func create(_ objectType: String, _ values: [(String, String)]) {
      made.append(#"{"op":"create","class":"\#(objectType)","value":{\#(members(objectType, values))}}"#)
    }
    func update(_ objectType: String, _ id: Int, _ values: [(String, String)]) {
      let values = members(objectType, values)
      linked.append(#"{"op":"update","class":"\#(objectType)","id":\#(id),"set":{\#(values)}}"#)
    }
    for (id, notebook) in notebooks.sorted(by: { $0.key < $1.key }) {
      create(
        "Notebook", [("id", "\(id)"), ("owner", "\"\(notebook.owner)\""), ("name", Self.json(notebook.name))])
      update("Notebook", id, [("cover", Self.json(notebook.cover))])
    }
    for (id, owner) in tags.sorted(by: { $0.key < $1.key }) {
      create("Tag", [("id", "\(id)"), ("owner", "\"\(owner)\"")])
    }
    for (id, note) in notes.sorted(by: { $0.key < $1.key }) {
      let shelf = note.shelf.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#(Self.json($0.value))"# }
      create(
        "Note",
        [
          ("id", "\(id)"), ("owner", "\"\(note.owner)\""), ("n", "\(note.n)"), ("text", "\"\(note.text)\""),
          ("shelf", "{\(shelf.joined(separator: ","))}"),
        ])
      update(
        "Note", id,
        [
          ("notebook", Self.json(note.notebook)), ("others", "\(note.others)"),
          ("tags", "\(note.tags.sorted())"),
          ("mix", Self.json(note.mix)), ("mixes", "[\(note.mixes.map(Self.json).joined(separator: ","))]"),
          ("bag", "[\(note.bag.map(Self.json).joined(separator: ","))]"),
          ("place", #"{"city":\#(Self.json(note.city)),"at":\#(Self.json(note.at))}"#),
        ])
    }
    return made + linked
  }

  static func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
  static func json(_ id: Int?) -> String { id.map { "\($0)" } ?? "null" }

  static func json(_ content: Content) -> String {
    switch content {
    case .null: "null"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .link(let link): #"{"$ref":"\#(link.objectType)","$id":\#(link.id)}"#
    case .list(let contents): "[\(contents.map(json).joined(separator: ","))]"
    }
  }
}
