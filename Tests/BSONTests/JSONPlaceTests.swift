import GatehouseBSON
import Testing

struct JSONPlaceTests {
  private static let text = """
    {"a": "b: {",
     "list": [{"b": 1}, "c", "\\"", {"x": {}}],
     "o": {"a": {}, "p": "q",
       "q": {
         "é": 1}},
     "b": 2}
    """

  @Test(arguments: [
    (["a"], 1), (["list"], 2), (["o", "p"], 3), (["o", "q"], 4), (["o", "q", "é"], 5), (["b"], 6),
    (["o", "b"], nil), (["c"], nil), (["list", "b"], nil), (["x"], nil), (["o", "a", "p"], nil), (["q"], nil),
  ])
  func `a member is found in its line`(path: [String], line: Int?) {
    #expect(JSONPlace.line(of: path, in: Array(Self.text.utf8)) == line)
  }

  @Test(
    arguments: [
      ([.name("list"), .index(0), .name("b")], 2), ([.name("list"), .index(3), .name("x")], 2),
      ([.name("list"), .index(4)], nil), ([.name("o"), .index(0)], nil), ([.index(0)], nil),
    ] as [([JSONPlace.Step], Int?)])
  func `an element is found in its line`(path: [JSONPlace.Step], line: Int?) {
    #expect(JSONPlace.line(of: path, in: Array(Self.text.utf8)) == line)
  }

  @Test func `elements on lines of their own are counted`() {
    let text = Array("[\n1,\n[2, 3],\n{\"a\": 1,\n\"b\": 2}\n]".utf8)
    let places: [([JSONPlace.Step], Int?)] = [
      ([.index(0)], 2), ([.index(1), .index(1)], 3), ([.index(2)], 4), ([.index(2), .name("b")], 5),
      ([.index(3)], nil),
    ]
    for (path, line) in places { #expect(JSONPlace.line(of: path, in: text) == line, "\(path)") }
  }

  @Test(arguments: ["", "{", "{\"a\"", "{\"a\":", "[1,", "{\"b\": [", "\"", "{]", "[}"])
  func `nothing is found in what is no JSON`(text: String) {
    #expect(JSONPlace.line(of: [.name("a"), .index(0)], in: Array(text.utf8)) == nil)
  }
}
