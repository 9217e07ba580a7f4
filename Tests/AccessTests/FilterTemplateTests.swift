import GatehouseBSON
import Testing

@testable import GatehouseAccess

@Suite struct FilterTemplateTests {
  @Test(
    arguments: [
      ("n == 1", "n == 1", []), ("owner == %%user.id", "owner == $0", [["id"]]),
      ("%%user.data.email == a AND b==%%user.id)", "$0 == a AND b==$1)", [["data", "email"], ["id"]]),
      ("a == '%%user.id' OR b == %%user.id", "a == '%%user.id' OR b == $0", [["id"]]),
      (#"a == 'it\'s %%user.id' AND b == "%%user.id""#, #"a == 'it\'s %%user.id' AND b == "%%user.id""#, []),
      ("a == %%user.", "a == $0", [[""]]), ("a == %%user.a..b", "a == $0", [["a", "", "b"]]),
      ("a == %%userid", "a == %%userid", []), ("a == %%user.é", "a == $0é", [[""]]),
    ] as [(String, String, [[String]])])
  func `values of the user become arguments, but for those in quotes`(
    text: String, filter: String, paths: [[String]]
  ) {
    let template = FilterTemplate(text)
    #expect(template.filter == filter)
    #expect(template.paths == paths)
  }

  @Test func `a rule binds the values that the caller has, and holds for nobody who lacks one`() throws {
    let caller = CallerValues(["id": .string("me"), "data": .document(["n": .int32(3)])])
    let bound = try BoundRule(
      "owner == %%user.id AND stars > %%user.data.n", for: caller, on: "Note", in: Library.schema())
    #expect(bound.filter == "owner == $0 AND stars > $1")
    #expect(bound.arguments == [.string("me"), .int32(3)])
    #expect(bound.isPlain && !bound.lacksValues)
    let lacking = try BoundRule("owner == %%user.data.id", for: caller, on: "Note", in: Library.schema())
    #expect(lacking.arguments == [.null])
    #expect(lacking.lacksValues)
    #expect(try !BoundRule("stars > 1 LIMIT(1)", for: nil, on: "Note", in: Library.schema()).isPlain)
  }
}
