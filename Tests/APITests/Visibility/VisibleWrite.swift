import GatehouseHTTP
import GatehouseSeeded

@testable import GatehouseAPI

/// A write of somebody who sees a part of a world: it names only objects that they see, or none that there are.
struct VisibleWrite {
  let method: GatehouseHTTP.Method
  let target: String
  let json: String?
  let contentType: String

  init(
    _ method: GatehouseHTTP.Method, _ target: String, _ json: String? = nil,
    as contentType: String = "application/json"
  ) {
    self.method = method
    self.target = target
    self.json = json
    self.contentType = contentType
  }

  /// Whether it deletes an object, and with it the links that lead there, also those that its author does not see.
  var deletesObject: Bool { method == .delete && target.split(separator: "/").count == 4 }

  /// Makes writes at random.
  struct Generator {
    var random: SeededGenerator
    let notes: [Int]
    let notebooks: [Int]
    let tags: [Int]
    /// The identifier that the next new object gets.
    private var next = 100

    init(_ random: SeededGenerator, _ visible: VisibleWorld) {
      self.random = random
      notes = visible.notes.keys.sorted()
      notebooks = visible.notebooks.keys.sorted()
      tags = visible.tags.keys.sorted()
    }

    private mutating func pick(_ ids: [Int]) -> Int {
      Int.random(in: 0..<12, using: &random) == 0 ? 99 : ids.randomElement(using: &random) ?? 99
    }
    private mutating func few(_ ids: [Int]) -> String {
      "[\((0..<Int.random(in: 0..<4, using: &random)).map { _ in "\(pick(ids))" }.joined(separator: ","))]"
    }
    private mutating func index() -> Int { Int.random(in: -3..<4, using: &random) }
    private mutating func orNull(_ ids: [Int]) -> String {
      Bool.random(using: &random) ? "null" : "\(pick(ids))"
    }
    private mutating func content(depth: Int = 0) -> String {
      switch Int.random(in: 0..<(depth == 0 ? 7 : 5), using: &random) {
      case 0, 1: "null"
      case 2: "\(Int.random(in: 0..<4, using: &random))"
      case 3: #"{"$ref":"Note","$id":\#(pick(notes))}"#
      case 4: #"{"$ref":"Tag","$id":\#(pick(tags))}"#
      case 5: #"{"k":\#(content(depth: 1))}"#
      default: "[\(content(depth: 1)),\(content(depth: 1))]"
      }
    }
    private mutating func contents() -> String {
      "[\((0..<Int.random(in: 0..<4, using: &random)).map { _ in content() }.joined(separator: ","))]"
    }

    /// A property of a note, and a value for it.
    private mutating func member() -> (name: String, value: String) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: ("notebook", orNull(notebooks))
      case 1, 2: ("others", few(notes))
      case 3: ("tags", few(tags))
      case 4: ("shelf", #"{"a":\#(orNull(notebooks)),"c":\#(orNull(notebooks))}"#)
      case 5: ("mix", content())
      case 6: ("mixes", contents())
      case 7: ("bag", "[\(content(depth: 1)),\(content(depth: 1))]")
      case 8: ("place", #"{"at":\#(orNull(notebooks))}"#)
      default: ("text", #""w""#)
      }
    }

    mutating func write(readingBy read: (String) async throws -> String) async throws -> VisibleWrite {
      let note = "/v1/collections/Note/\(pick(notes))"
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1, 2:
        let (name, value) = member()
        return VisibleWrite(.patch, note, #"{"\#(name)":\#(value)}"#)
      case 3:
        // It writes back what was read, or with something else in it.
        let read = try await read(note)
        let (name, value) = member()
        let isSame = Bool.random(using: &random) || read.contains(#""\#(name)":"#)
        return VisibleWrite(.put, note, isSame ? read : #"{"\#(name)":\#(value)}"#)
      case 4: return edit(of: note)
      case 5: return changeOfMany()
      default: return part(of: note)
      }
    }

    private mutating func edit(of note: String) -> VisibleWrite {
      let operators = [
        #"{"$push":{"others":\#(pick(notes))}}"#, #"{"$pull":{"others":\#(pick(notes))}}"#,
        #"{"$addToSet":{"tags":\#(pick(tags))}}"#, #"{"$pull":{"tags":\#(pick(tags))}}"#,
        #"{"$push":{"mixes":\#(content())}}"#, #"{"$set":{"shelf.a":\#(orNull(notebooks))}}"#,
        #"{"$unset":{"shelf.b":true}}"#, #"{"$set":{"place.city":"w"}}"#,
      ]
      let patches = [
        #"[{"op":"remove","path":"/others/\#(abs(index()))"}]"#,
        #"[{"op":"add","path":"/others/\#(abs(index()))","value":\#(pick(notes))}]"#,
        #"[{"op":"replace","path":"/mixes/\#(abs(index()))","value":\#(content())}]"#,
        #"[{"op":"move","from":"/others/0","path":"/others/1"}]"#,
        #"[{"op":"test","path":"/notebook","value":null},{"op":"add","path":"/shelf/d","value":null}]"#,
        #"[{"op":"copy","from":"/mix","path":"/mixes/-"}]"#,
      ]
      if Bool.random(using: &random) {
        return VisibleWrite(.patch, note, operators.randomElement(using: &random))
      }
      return VisibleWrite(
        .patch, note, patches.randomElement(using: &random), as: "application/json-patch+json")
    }

    /// A transaction, a write by filter, or new objects.
    private mutating func changeOfMany() -> VisibleWrite {
      let (name, value) = member()
      let (other, otherValue) = member()
      next += 1
      return [
        VisibleWrite(
          .patch, "/v1/collections/Note?filter=notebook%20==%20null", #"{"\#(name)":\#(value)}"#),
        VisibleWrite(
          .patch, "/v1/collections/Note?filter=others.@count%20%3E%201", #"{"\#(name)":\#(value)}"#),
        VisibleWrite(.delete, "/v1/collections/Note/\(pick(notes))"),
        VisibleWrite(.post, "/v1/collections/Note", #"{"id":\#(next),"\#(name)":\#(value)}"#),
        VisibleWrite(
          .post, "/v1/collections/Note?mode=modified", #"{"id":\#(pick(notes)),"\#(name)":\#(value)}"#),
        VisibleWrite(
          .post, "/v1/transactions",
          """
          {"operations":[{"op":"update","class":"Note","id":\(pick(notes)),"set":{"\(name)":\(value)}},\
          {"op":"create","class":"Note","mode":"all","value":{"id":\(pick(notes)),"\(other)":\(otherValue)}},\
          {"op":"insert","class":"Note","id":\(pick(notes)),"path":["others"],"at":0,"values":[\(pick(notes))]}]}
          """),
      ].randomElement(using: &random)!
    }

    /// A write of what a path leads to.
    private mutating func part(of note: String) -> VisibleWrite {
      let (at, from) = (index(), index())
      return [
        VisibleWrite(.put, "\(note)/others", few(notes)),
        VisibleWrite(.put, "\(note)/others/\(at)", "\(pick(notes))"),
        VisibleWrite(.delete, "\(note)/others/\(at)"), VisibleWrite(.delete, "\(note)/others"),
        VisibleWrite(.delete, "\(note)/others?from=\(from)&count=\(abs(at))"),
        VisibleWrite(.post, "\(note)/others", few(notes)),
        VisibleWrite(.post, "\(note)/others?at=\(at)", few(notes)),
        VisibleWrite(.patch, "\(note)/others", #"{"move":{"from":\#(from),"to":\#(at)}}"#),
        VisibleWrite(.put, "\(note)/others/\(at)/text", #""w""#),
        VisibleWrite(.post, "\(note)/tags", few(tags)), VisibleWrite(.put, "\(note)/tags", few(tags)),
        VisibleWrite(.patch, "\(note)/tags", #"{"subtract":\#(few(tags))}"#),
        VisibleWrite(.patch, "\(note)/tags", #"{"intersect":\#(few(tags))}"#),
        VisibleWrite(.put, "\(note)/shelf/a", orNull(notebooks)), VisibleWrite(.delete, "\(note)/shelf/b"),
        VisibleWrite(.patch, "\(note)/shelf", #"{"b":\#(orNull(notebooks)),"d":null}"#),
        VisibleWrite(.put, "\(note)/shelf", #"{"b":\#(orNull(notebooks))}"#),
        VisibleWrite(.put, "\(note)/shelf/a/name", #""w""#),
        VisibleWrite(.put, "\(note)/notebook/name", #""w""#),
        VisibleWrite(.put, "\(note)/notebook/cover/text", #""w""#), VisibleWrite(.delete, "\(note)/notebook"),
        VisibleWrite(.put, "\(note)/notebook", orNull(notebooks)),
        VisibleWrite(.put, "\(note)/mix", content()),
        VisibleWrite(.put, "\(note)/mix/0", content(depth: 1)),
        VisibleWrite(.put, "\(note)/mix/k", content(depth: 1)),
        VisibleWrite(.delete, "\(note)/mix/0"), VisibleWrite(.put, "\(note)/mixes/\(at)", content()),
        VisibleWrite(.put, "\(note)/mixes", contents()), VisibleWrite(.delete, "\(note)/mixes/\(at)"),
        VisibleWrite(.post, "\(note)/mixes?at=\(at)", contents()),
        VisibleWrite(.put, "\(note)/bag", "[\(content(depth: 1))]"),
        VisibleWrite(.post, "\(note)/bag", "[null,1]"),
        VisibleWrite(.put, "\(note)/place/at", orNull(notebooks)), VisibleWrite(.delete, "\(note)/place/at"),
        VisibleWrite(.put, "\(note)/place/at/name", #""w""#),
        VisibleWrite(.put, "\(note)/place", #"{"city":"w"}"#),
        VisibleWrite(.patch, "\(note)/place", #"{"city":"w"}"#),
      ].randomElement(using: &random)!
    }
  }
}
