import Testing

@testable import GatehouseQuery

@Suite struct NearestNameTests {
  @Test(
    arguments: [
      ("titel", "title"), ("TITLE", "title"), ("isbm", "isbn"), ("page", "pages"), ("x", nil),
      ("publisher", nil),
      ("", nil),
    ] as [(String, String?)])
  func `a name is near if few edits lead to it`(name: String, nearest: String?) {
    #expect(name.nearest(of: ["isbn", "title", "pages"]) == nearest)
  }

  @Test func `there is no nearest of none`() {
    #expect("title".nearest(of: []) == nil)
  }
}
