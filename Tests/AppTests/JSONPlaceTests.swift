import Testing

@testable import GatehouseApp

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
}
