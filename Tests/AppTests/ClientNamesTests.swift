import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseApp

@Suite struct ClientNamesTests {
  @Test(arguments: [
    ("Person", "Person"), ("a b", "a_b"), ("a  - b", "a_b"), ("größe", "größe"), ("日本", "日本"), ("5", "n5"),
    ("_id", "_id"),
    ("%", "name"), ("ﬁ", "name"), ("Ａ1", "_1"), ("a*/b", "a_b"), ("x\"", "x_"),
    ("\u{301}e", "_e"),
  ])
  func `a name becomes an identifier of all languages`(name: String, identifier: String) {
    var names = ClientNames(without: [])
    #expect(names.take(name) == identifier)
  }

  @Test func `an identifier is given out once`() {
    var names = ClientNames(without: ["class"])
    #expect(
      ["class", "a b", "a-b", "a_b", "a_b_"].map { names.take($0) } == [
        "class_", "a_b", "a_b_", "a_b_2", "a_b__",
      ])
  }

  @Test(arguments: ClientLanguage.allCases)
  func `nothing that a client begins with is given out again`(language: ClientLanguage) {
    var names = ClientNames(of: language)
    for name in ["Client", "Problem", "Gatehouse", "class", "import"] {
      #expect(names.take(name) == "\(name)_")
    }
    #expect(names.take("Person") == "Person")
  }

  @Test(arguments: ClientLanguage.allCases)
  func `a client has the requests, and types for each class`(language: ClientLanguage) throws {
    let schema = try Schema(
      notation: Value(
        json: """
          [{"name":"Item","primaryKey":"id","properties":{"id":"int","title":"string?","home":"Home","parts":"Item[]"}},\
          {"name":"Home","embedded":true,"properties":{"zip":"int?"}}]
          """))
    let text = String(decoding: language.client(for: schema), as: UTF8.self)
    #expect(text.hasPrefix(String(decoding: language.mark, as: UTF8.self) + "\n"))
    let lines =
      switch language {
      case .typescript:
        [
          "export interface Item {\n  \"id\": number;\n  \"title\": string | null;\n  \"home\": Home | null;\n  \"parts\": (number)[];\n}",
          "  \"home\"?: HomePatch | null;\n  \"parts\"?: (number)[] | null;\n}",
          "  readonly Item: Collection<Item, ItemCreate, ItemPatch, number>;\n",
        ]
      case .swift:
        [
          "public struct Item: JSONConvertible, Equatable {\n  public var id: Int64\n  public var title: String?\n"
            + "  @Indirect public var home: Home?\n  public var parts: [Int64]\n",
          "  @Indirect public var home: (HomePatch?)? = .none\n  public var parts: ([Int64]?)?\n",
          "  public let item: Objects<Item, ItemCreate, ItemPatch, Int64>\n",
        ]
      case .python:
        [
          "Item = typing.TypedDict(\"Item\", {\n    \"id\": \"int\",\n    \"title\": \"typing.Optional[str]\",\n"
            + "    \"home\": \"typing.Optional[Home]\",\n    \"parts\": \"list[int]\",\n})\n",
          "    \"home\": \"typing.Optional[HomePatch]\",\n    \"parts\": \"typing.Optional[list[int]]\",\n}, total=False)\n",
          "        self.Item: Collection[Item, ItemCreate, ItemPatch, int] = Collection(self.client, \"Item\")\n",
        ]
      }
    for line in lines { #expect(text.contains(line), "\(line)") }
    #expect(!text.contains("HomeCreate, HomePatch"))
  }
}
