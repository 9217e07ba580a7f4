import GatehouseModel
import GatehouseStorage
import Testing

private func schema(_ properties: String, _ more: String = "") -> String {
  #"[{"name":"A","primaryKey":"id","properties":{"id":"int",\#(properties)}}\#(more)]"#
}

@Test func `applying a schema twice changes nothing`() async throws {
  let store = try await TemporaryStore(schema(#""a":"int""#))
  let outcome = try await store.apply(schema(#""a":"int""#))
  #expect(!outcome.changed && outcome.version == store.store.version)
  #expect(store.store.version == 1)
}

@Test func `an optional property is added to objects that are there`() async throws {
  let store = try await TemporaryStore(schema(#""a":"int""#))
  try await store.create("A", #"{"id":1,"a":2}"#)
  let outcome = try await store.apply(
    schema(#""b":"string?","a":"int","tags":"string[]","d":{"type":"int","default":7}"#))
  #expect(outcome.changed && outcome.version == 3)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"b":null,"a":2,"tags":[],"d":7}"#)
  try await store.create("A", #"{"id":2,"a":3,"b":"x","tags":["y"]}"#)
  #expect(try store.object("A", .int(2)) == #"{"id":2,"b":"x","a":3,"tags":["y"],"d":7}"#)
}

@Test func `mapTo renames a property without touching its values`() async throws {
  let store = try await TemporaryStore(schema(#""a":"int""#))
  try await store.create("A", #"{"id":1,"a":2}"#)
  _ = try await store.apply(schema(#""better":{"type":"int","mapTo":"a"}"#))
  #expect(try store.object("A", .int(1)) == #"{"id":1,"better":2}"#)
  _ = try await store.apply(schema(#""better":"int""#))
  #expect(try store.object("A", .int(1)) == #"{"id":1,"better":2}"#)
}

@Test(arguments: [
  schema(#""b":"string""#),
  schema(#""a":"date","b":"string""#),
  schema(#""a":"int","b":"string","c":"int""#),
  #"[]"#,
])
func `what would lose data needs leave`(change: String) async throws {
  let store = try await TemporaryStore(schema(#""a":"int","b":"string""#))
  try await store.create("A", #"{"id":1,"a":2,"b":"x"}"#)
  let version = store.store.version
  await #expect {
    try await store.apply(change)
  } throws: { error in
    if case .destructiveChange? = error as? StorageError { true } else { false }
  }
  #expect(store.store.version == version)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"a":2,"b":"x"}"#)
  #expect(try await store.apply(change, destructive: true).changed)
}

@Test
func `a property of a type that no value of the old one can have, and such a collection, start anew`()
  async throws
{
  let store = try await TemporaryStore(schema(#""a":"int","l":"int[]""#))
  try await store.create("A", #"{"id":1,"a":2,"l":[1]}"#)
  _ = try await store.apply(schema(#""a":"data?","l":"data[]""#), destructive: true)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"a":null,"l":[]}"#)
  _ = try await store.apply(schema(#""a":"string?","l":"string[]""#), destructive: true)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"a":null,"l":[]}"#)
  try await store.perform(store.patch("A", .int(1), #"{"a":"x","l":["y"]}"#))
  #expect(try store.object("A", .int(1)) == #"{"id":1,"a":"x","l":["y"]}"#)
}

@Test func `names that differ in case alone are different names`() async throws {
  let store = try await TemporaryStore(
    """
    [{"name":"Order","primaryKey":"Id","properties":{"Id":"int","id":"int","ID":"int[]","iD":"int{}"}},
     {"name":"order","primaryKey":"x","properties":{"x":"int"}},
     {"name":"sqlite_master","primaryKey":"select","properties":{"select":"int","a \\"b\\"":"string?"}}]
    """)
  try await store.create("Order", #"{"Id":1,"id":2,"ID":[3],"iD":{"k":4}}"#)
  try await store.create("order", #"{"x":5}"#)
  try await store.create("sqlite_master", #"{"select":6,"a \"b\"":"c"}"#)
  #expect(try store.object("Order", .int(1)) == #"{"Id":1,"id":2,"ID":[3],"iD":{"k":4}}"#)
  #expect(try store.object("order", .int(5)) == #"{"x":5}"#)
  #expect(try store.object("sqlite_master", .int(6)) == #"{"select":6,"a \"b\"":"c"}"#)
}

@Test func `indexes follow the schema`() async throws {
  let store = try await TemporaryStore(schema(#""a":"int","b":{"type":"int","indexed":true}"#))
  let indexes = {
    try Raw(store.database).texts("SELECT name FROM sqlite_schema WHERE name LIKE 'A.%' ORDER BY 1")
  }
  #expect(try indexes() == ["A.b#index", "A.id#index"])
  _ = try await store.apply(schema(#""a":{"type":"int","indexed":true},"b":"int""#))
  #expect(try indexes() == ["A.a#index", "A.id#index"])
}

@Test func `a class goes together with one that its mixed values link to, in either order`() async throws {
  let properties = #""primaryKey":"id","properties":{"id":"int","any":"mixed","anys":"mixed{}","part":"P?"}"#
  let part = #"{"name":"P","embedded":true,"properties":{"any":"mixed[]"}}"#
  let classes = ["A", "B", "C"].map { #"{"name":"\#($0)",\#(properties)}"# } + [part]
  for kept in [["C"], ["A"], ["B"], []] {
    let store = try await TemporaryStore("[\(classes.joined(separator: ","))]")
    // Each links to each.
    let links = ["A", "B", "C"].map { #"{"$ref":"\#($0)","$id":1}"# }
    let values =
      #"{"id":1,"any":[\#(links.joined(separator: ","))],"anys":{"k":\#(links[0])},"#
      + #""part":{"any":[\#(links[1])]}}"#
    try await store.perform(
      store.creation("A", values), store.creation("B", values), store.creation("C", values))
    let left = (kept.isEmpty ? [] : classes.filter { $0.contains(#""name":"\#(kept[0])""#) } + [part])
    #expect(try await store.apply("[\(left.joined(separator: ","))]", destructive: true).changed)
    #expect(try store.violations() == [])
    for name in kept {
      let shown = ["A", "B", "C"].map { $0 == name ? #"{"$ref":"\#($0)","$id":1}"# : "null" }
      #expect(
        try store.object(name, .int(1))
          == #"{"id":1,"any":[\#(shown.joined(separator: ","))],"anys":{"k":\#(shown[0])},"part":{"any":[\#(shown[1])]}}"#
      )
    }
  }
}
