import Testing

@testable import App

struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("data", "data", 0), ("daat", "data", 1), ("Data", "data", 0), ("lisen", "listen", 1),
    ("abc", "", 3), ("kitten", "sitting", 3),
  ])
  func `the distance counts edits and swaps`(left: String, right: String, distance: Int) {
    #expect(NearestName.distance(left, right) == distance)
    #expect(NearestName.distance(right, left) == distance)
  }

  @Test func `the nearest name is the one with the fewest edits`() {
    #expect(NearestName.of("exprot", in: ["import", "export", "serve"]) == "export")
    #expect(NearestName.of("anything", in: []) == nil)
  }
}
