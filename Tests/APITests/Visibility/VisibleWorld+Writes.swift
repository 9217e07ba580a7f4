import GatehouseHTTP
import GatehouseSeeded

extension VisibleWorld {
  /// A request of the operator's.
  struct Write {
    var method = GatehouseHTTP.Method.patch
    let path: String
    var json: String?
    /// Whether it is one change of one object, so that there is nothing between the world before and the one after.
    var isOne = true
  }

  /// Changes something, and returns the request that does it. Each text is another one.
  mutating func write(number: Int, _ random: inout SeededGenerator) -> Write {
    let id = Int.random(in: VisibleWorld.ids, using: &random)
    let book = Int.random(in: 0..<4, using: &random)
    let tag = Int.random(in: 0..<3, using: &random)
    let kind = Int.random(in: 0..<20, using: &random)
    switch kind {
    case 0: return writeBook(book, number: number, &random)
    case 1: return delete(Link(objectType: "Notebook", id: book))
    case 2: return delete(Link(objectType: "Note", id: id))
    case 3, 4:
      guard tags[tag] != nil else { return make(Link(objectType: "Tag", id: tag)) }
      tags[tag] = Bool.random(using: &random) ? "me" : "you"
      return Write(path: "Tag/\(tag)", json: #"{"owner":\#(Self.json(tags[tag]))}"#)
    case 5 where tag == 0: return delete(Link(objectType: "Tag", id: tag))
    case 5...8: return writeBook(book, number: number, &random)
    default: return writeNote(id, kind: kind, number: number, &random)
    }
  }

  private mutating func writeBook(_ id: Int, number: Int, _ random: inout SeededGenerator) -> Write {
    guard notebooks[id] != nil else { return make(Link(objectType: "Notebook", id: id)) }
    let (name, value): (String, String)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      notebooks[id]?.owner = Bool.random(using: &random) ? "me" : "you"
      (name, value) = ("owner", Self.json(notebooks[id]?.owner))
    case 1:
      notebooks[id]?.name = ["a", "b", nil].randomElement(using: &random) ?? nil
      (name, value) = ("name", Self.json(notebooks[id]?.name))
    default:
      let cover = notes.keys.sorted().randomElement(using: &random)
      notebooks[id]?.cover = cover
      (name, value) = ("cover", Self.json(cover))
    }
    return Write(path: "Notebook/\(id)", json: #"{"\#(name)":\#(value)}"#)
  }

  private mutating func writeNote(
    _ id: Int, kind: Int, number: Int, _ random: inout SeededGenerator
  ) -> Write {
    guard var note = notes[id] else { return make(Link(objectType: "Note", id: id)) }
    defer { notes[id] = note }
    let others = notes.keys.sorted().shuffled(using: &random)
    let books = notebooks.keys.sorted().shuffled(using: &random).map(Optional.some) + [nil]
    func content() -> Content {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .number(number)
      case 1: others.first.map { .link(Link(objectType: "Note", id: $0)) } ?? .null
      case 2: (books.first ?? nil).map { .link(Link(objectType: "Notebook", id: $0)) } ?? .null
      default: tags.keys.sorted().first.map { .link(Link(objectType: "Tag", id: $0)) } ?? .null
      }
    }
    let (name, value): (String, String)
    switch kind {
    case 9, 10:
      note.owner = Bool.random(using: &random) ? "me" : "you"
      (name, value) = ("owner", Self.json(note.owner))
    case 11:
      note.n = Int.random(in: 0..<7, using: &random)
      (name, value) = ("n", "\(note.n)")
    case 12:
      note.text = "t\(number)"
      (name, value) = ("text", Self.json(note.text))
    case 13:
      note.notebook = books.randomElement(using: &random) ?? nil
      (name, value) = ("notebook", Self.json(note.notebook))
    case 14:
      if let other = others.first, note.others.indices.contains(1), Bool.random(using: &random) {
        note.others[1] = other
        return Write(method: .put, path: "Note/\(id)/others/1", json: "\(other)")
      }
      note.others = Array(others.prefix(Int.random(in: 0..<4, using: &random)))
      (name, value) = ("others", "\(note.others)")
    case 15:
      note.tags = Set(tags.keys.filter { _ in Bool.random(using: &random) })
      (name, value) = ("tags", "\(note.tags.sorted())")
    case 16:
      let key = Bool.random(using: &random) ? "a" : "b"
      let book = books.randomElement(using: &random) ?? nil
      note.shelf[key] = .some(book)
      return Write(method: .put, path: "Note/\(id)/shelf/\(key)", json: Self.json(book))
    case 17:
      note.mix = content()
      (name, value) = ("mix", Self.json(note.mix))
    case 18:
      note.mixes = [content(), content()]
      note.bag = Array(Set([content(), content()]))
      return Write(
        path: "Note/\(id)",
        json: """
          {"mixes":[\(note.mixes.map(Self.json).joined(separator: ","))],\
          "bag":[\(note.bag.map(Self.json).joined(separator: ","))]}
          """)
    default:
      note.at = books.randomElement(using: &random) ?? nil
      note.city = ["x", "y", nil].randomElement(using: &random) ?? nil
      (name, value) = ("place", #"{"city":\#(Self.json(note.city)),"at":\#(Self.json(note.at))}"#)
    }
    return Write(path: "Note/\(id)", json: #"{"\#(name)":\#(value)}"#)
  }

  /// Makes an object that is not there, of the caller's.
  private mutating func make(_ link: Link) -> Write {
    let path = "\(link.objectType)/\(link.id)"
    births[link, default: 0] += 1
    switch link.objectType {
    case "Notebook":
      notebooks[link.id] = Notebook(owner: "me", name: "a", cover: nil)
      return Write(method: .put, path: path, json: #"{"owner":"me","name":"a"}"#)
    case "Tag":
      tags[link.id] = "me"
      tagOrder.removeAll { $0 == link.id }
      tagOrder.append(link.id)
      return Write(method: .put, path: path, json: #"{"owner":"me"}"#)
    default:
      notes[link.id] = Note(
        owner: "me", n: 3, text: "a", notebook: nil, others: [], tags: [], shelf: [:], mix: .null, mixes: [],
        bag: [], city: nil, at: nil)
      return Write(method: .put, path: path, json: #"{"owner":"me","n":3,"text":"a","place":{"city":null}}"#)
    }
  }

  /// Deletes an object, if it is there, and all links to it.
  private mutating func delete(_ link: Link) -> Write {
    guard exists(link) else { return make(link) }
    let world = pruned { $0 != link && exists($0) }
    (notebooks, notes, tags) = (world.notebooks, world.notes, world.tags)
    return Write(method: .delete, path: "\(link.objectType)/\(link.id)", json: nil, isOne: false)
  }

  func exists(_ link: Link) -> Bool {
    switch link.objectType {
    case "Notebook": notebooks[link.id] != nil
    case "Tag": tags[link.id] != nil
    default: notes[link.id] != nil
    }
  }

  /// The objects as a read shows them, without hidden properties, by class and identifier; the elements of sets in the order of their texts.
  var objects: [Link: String] {
    var objects: [Link: String] = [:]
    func add(_ objectType: String, _ id: Int, _ members: [(String, String)]) {
      let shown = members.filter { !hidden.contains("\(objectType).\($0.0)") }.map { ",\"\($0.0)\":\($0.1)" }
      objects[Link(objectType: objectType, id: id)] = "{\"id\":\(id)\(shown.joined())}"
    }
    for (id, note) in notes {
      let shelf = note.shelf.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#(Self.json($0.value))"# }
      add(
        "Note", id,
        [
          ("owner", Self.json(note.owner)), ("n", "\(note.n)"), ("text", Self.json(note.text)),
          ("notebook", Self.json(note.notebook)),
          ("others", "[\(note.others.map { "\($0)" }.joined(separator: ","))]"),
          ("tags", "[\(tagOrder.filter(note.tags.contains).map { "\($0)" }.joined(separator: ","))]"),
          ("shelf", "{\(shelf.joined(separator: ","))}"), ("mix", Self.json(note.mix)),
          ("mixes", "[\(note.mixes.map(Self.json).joined(separator: ","))]"),
          ("bag", "[\(note.bag.map(Self.json).sorted().joined(separator: ","))]"),
          ("place", #"{"city":\#(Self.json(note.city)),"at":\#(Self.json(note.at))}"#),
        ])
    }
    for (id, book) in notebooks {
      add(
        "Notebook", id,
        [("owner", Self.json(book.owner)), ("name", Self.json(book.name)), ("cover", Self.json(book.cover))])
    }
    for (id, owner) in tags { add("Tag", id, [("owner", Self.json(owner))]) }
    return objects
  }
}
