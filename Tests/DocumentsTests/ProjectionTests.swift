import GatehouseBSON
import GatehouseDocuments
import Testing

struct ProjectionTests {
  @Test(arguments: [
    (#"{"a":1}"#, #"{"b":1,"_id":1,"a":2}"#, #"{"_id":1,"a":2}"#),
    (#"{"a":1,"_id":0}"#, #"{"_id":1,"a":2}"#, #"{"a":2}"#),
    (#"{"_id":0}"#, #"{"_id":1,"a":2}"#, #"{"a":2}"#),
    (#"{"_id":1}"#, #"{"_id":1,"a":2}"#, #"{"_id":1}"#),
    (#"{"a.b":1}"#, #"{"a":[{"b":1,"c":2},3,{"c":1}]}"#, #"{"a":[{"b":1},{}]}"#),
    (#"{"a":{"b":1}}"#, #"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1}}"#),
    (#"{"a.b":0}"#, #"{"a":[{"b":1,"c":2},3]}"#, #"{"a":[{"c":2},3]}"#),
    (#"{"a.b":0}"#, #"{"a":1}"#, #"{"a":1}"#), (#"{"a.b":1}"#, #"{"a":1}"#, #"{}"#),
    (#"{"a":{"$slice":2}}"#, #"{"a":[1,2,3],"b":1}"#, #"{"a":[1,2],"b":1}"#),
    (#"{"a":{"$slice":[-2,1]}}"#, #"{"a":[1,2,3]}"#, #"{"a":[2]}"#),
    (#"{"a":{"$slice":1}}"#, #"{"a":"x"}"#, #"{"a":"x"}"#),
    (
      #"{"a":{"$elemMatch":{"b":2}}}"#, #"{"_id":1,"a":[{"b":1},{"b":2},{"b":2}],"c":1}"#,
      #"{"_id":1,"a":[{"b":2}]}"#
    ), (#"{"a":{"$elemMatch":{"$gt":5}}}"#, #"{"_id":1,"a":[1]}"#, #"{"_id":1}"#),
    (#"{"b":{"$add":["$a",1]}}"#, #"{"_id":1,"a":2}"#, #"{"_id":1,"b":3}"#),
    (#"{"b":"$a","a":1}"#, #"{"_id":1,"a":2}"#, #"{"_id":1,"a":2,"b":2}"#),
    (#"{"b":{"c":"$a"}}"#, #"{"a":2}"#, #"{"b":{"c":2}}"#),
    (#"{"a.$":1}"#, #"{"_id":1,"a":[1,5,7]}"#, #"{"_id":1,"a":[5]}"#),
    (#"{}"#, #"{"_id":1,"a":1}"#, #"{"_id":1,"a":1}"#),
  ])
  func `a projection shows what the manual says`(projection: String, text: String, result: String) throws {
    let filter = projection.contains(".$") ? #"{"a":{"$gt":4}}"# : "{}"
    let query = try FindQuery(filter: document(filter), projection: document(projection))
    let cursor = try query.run(over: DocumentList([document(text)]), in: context())
    try expectSame(cursor.next().map { .document($0) }, result, projection)
  }

  @Test(arguments: [
    (#"{"a":1,"b":0}"#, 31254), (#"{"a":0,"b":1}"#, 31253), (#"{"a":1,"a.b":1}"#, 31250),
    (#"{"a":{"$meta":"textScore"}}"#, 115), (#"{"a.$":1}"#, 51246), (#"{"a..b":1}"#, 15998),
    (#"{"$a":1}"#, 16410),
  ])
  func `a projection that cannot be is refused`(projection: String, code: Int) throws {
    #expect(error { _ = try Projection(document(projection)) }?.code.number == code, "\(projection)")
  }

  @Test func `documents are sorted by the least or greatest of an array, and then paged`() throws {
    let input = try documents(
      #"[{"_id":1,"a":[5,1]},{"_id":2,"a":3},{"_id":3},{"_id":4,"a":[]},{"_id":5,"a":"x"}]"#)
    func identifiers(_ sort: String) throws -> [Value?] {
      let query = try FindQuery(filter: Document(), sort: document(sort), skip: 1, limit: 3)
      let cursor = try query.run(over: DocumentList(input), in: context())
      var found: [Value?] = []
      while let document = try cursor.next() { found.append(document["_id"]) }
      return found
    }
    try expectSame(.array(identifiers(#"{"a":1}"#).compactMap { $0 }), "[3,1,2]")
    try expectSame(.array(identifiers(#"{"a":-1}"#).compactMap { $0 }), "[1,2,3]")
  }

  @Test func `values are distinct by their order, those of arrays one by one`() throws {
    let input = try documents(#"[{"a":[1,2]},{"a":1.0},{"a":[{"b":1}]},{"a":null},{"c":1}]"#)
    let values = try DistinctValues(of: "a").values(over: DocumentList(input), in: context())
    try expectSame(.array(values), #"[1,2,{"b":1},null]"#)
    let nested = try DistinctValues(of: "a.b").values(over: DocumentList(input), in: context())
    try expectSame(.array(nested), "[1]")
    #expect(
      try FindQuery(filter: document(#"{"a":{"$gt":0}}"#)).count(over: DocumentList(input), in: context())
        == 2)
  }
}
