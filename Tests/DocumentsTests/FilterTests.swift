import GatehouseBSON
import GatehouseDocuments
import Testing

struct FilterTests {
  private func matches(_ filter: String, _ text: String) throws -> Bool {
    try Filter(document(filter)).matches(document(text), in: Scope(now: now))
  }

  @Test(arguments: [
    // Equality: arrays hold what one of their elements is, or what they are as a whole.
    (#"{"a":1}"#, #"{"a":1.0}"#, true), (#"{"a":1}"#, #"{"a":[1,2]}"#, true),
    (#"{"a":[1,2]}"#, #"{"a":[1,2]}"#, true),
    (#"{"a":[1,2]}"#, #"{"a":[[1,2]]}"#, true), (#"{"a":[1]}"#, #"{"a":1}"#, false),
    (#"{"a":1}"#, #"{"a":true}"#, false),
    (#"{"a":{"b":1}}"#, #"{"a":{"b":1,"c":2}}"#, false), (#"{"a":{}}"#, #"{"a":{}}"#, true),
    (#"{"a":{}}"#, #"{}"#, false),
    // Null is also what is missing.
    (#"{"a":null}"#, #"{}"#, true), (#"{"a":null}"#, #"{"a":null}"#, true),
    (#"{"a":null}"#, #"{"a":[null]}"#, true),
    (#"{"a":null}"#, #"{"a":0}"#, false), (#"{"a.b":null}"#, #"{"a":1}"#, true),
    (#"{"a.b":null}"#, #"{"a":[]}"#, false),
    (#"{"a.b":null}"#, #"{"a":[{"b":1},{}]}"#, true), (#"{"a.b":null}"#, #"{"a":[1]}"#, false),
    (#"{"a":{"$gte":null}}"#, #"{}"#, true), (#"{"a":{"$gt":null}}"#, #"{"a":1}"#, false),
    (#"{"a":{"$ne":null}}"#, #"{}"#, false),
    // Values of other types are in no relation.
    (#"{"a":{"$gt":1}}"#, #"{"a":"b"}"#, false), (#"{"a":{"$lt":"b"}}"#, #"{"a":1}"#, false),
    (#"{"a":{"$gt":1}}"#, #"{"a":[0,2]}"#, true),
    (#"{"a":{"$lt":{"$maxKey":1}}}"#, #"{"a":"b"}"#, true),
    (#"{"a":{"$gte":{"$numberDouble":"NaN"}}}"#, #"{"a":1}"#, false),
    (#"{"a":{"$lte":{"$numberDouble":"NaN"}}}"#, #"{"a":{"$numberDouble":"NaN"}}"#, true),
    (#"{"a":{"$gt":[1,2]}}"#, #"{"a":[1,3]}"#, true), (#"{"a":{"$gt":0,"$lt":1}}"#, #"{"a":[-1,2]}"#, true),
    (#"{"a":{"$ne":1}}"#, #"{"a":[1,2]}"#, false), (#"{"a":{"$nin":[1]}}"#, #"{}"#, true),
    (#"{"a":{"$in":[1,"^b"]}}"#, #"{"a":"b"}"#, false),
    (#"{"a":{"$in":[{"$regularExpression":{"pattern":"^b","options":""}}]}}"#, #"{"a":"bc"}"#, true),
    (#"{"a":{"$in":[]}}"#, #"{"a":1}"#, false),
    (#"{"a":{"$in":[null]}}"#, #"{}"#, true), (#"{"a":{"$in":[[1,2]]}}"#, #"{"a":[1,2]}"#, true),
    // Paths through arrays, and places in them.
    (#"{"a.b":1}"#, #"{"a":[{"b":2},{"b":1}]}"#, true), (#"{"a.0":1}"#, #"{"a":[1,2]}"#, true),
    (#"{"a.1":1}"#, #"{"a":[1,2]}"#, false),
    (#"{"a.0.b":1}"#, #"{"a":[{"b":1}]}"#, true), (#"{"a.0":1}"#, #"{"a":[[1]]}"#, false),
    (#"{"a.1":4}"#, #"{"a":[5,{"1":4}]}"#, true),
    (#"{"a.1.b":4}"#, #"{"a":[5,[{"b":4}]]}"#, true), (#"{"a.b.c":1}"#, #"{"a":[{"b":[{"c":1}]}]}"#, true),
    (#"{"a.0":1}"#, #"{"a":{"0":1}}"#, true),
    // Elements and types.
    (#"{"a":{"$exists":true}}"#, #"{"a":null}"#, true), (#"{"a":{"$exists":false}}"#, #"{"a":null}"#, false),
    (#"{"a.b":{"$exists":false}}"#, #"{"a":[]}"#, true),
    (#"{"a":{"$type":"number"}}"#, #"{"a":1.5}"#, true), (#"{"a":{"$type":"array"}}"#, #"{"a":[]}"#, true),
    (#"{"a":{"$type":"string"}}"#, #"{"a":[1,"b"]}"#, true),
    (#"{"a":{"$type":["bool",2]}}"#, #"{"a":"b"}"#, true), (#"{"a":{"$type":10}}"#, #"{}"#, false),
    (#"{"a":{"$size":2}}"#, #"{"a":[1,2]}"#, true), (#"{"a":{"$size":1}}"#, #"{"a":1}"#, false),
    (#"{"a":{"$size":0}}"#, #"{"a":[]}"#, true),
    (#"{"a":{"$all":[1,2]}}"#, #"{"a":[2,3,1]}"#, true), (#"{"a":{"$all":[1]}}"#, #"{"a":1}"#, true),
    (#"{"a":{"$all":[]}}"#, #"{"a":[]}"#, false),
    (#"{"a":{"$all":[[1,2]]}}"#, #"{"a":[1,2]}"#, true),
    (#"{"a":{"$all":[{"$elemMatch":{"b":1}},{"$elemMatch":{"b":2}}]}}"#, #"{"a":[{"b":1},{"b":2}]}"#, true),
    (#"{"a":{"$elemMatch":{"$gt":0,"$lt":1}}}"#, #"{"a":[-1,2]}"#, false),
    (#"{"a":{"$elemMatch":{"b":1,"c":2}}}"#, #"{"a":[{"b":1},{"c":2}]}"#, false),
    (#"{"a":{"$elemMatch":{"b":1}}}"#, #"{"a":{"b":1}}"#, false),
    (#"{"a":{"$elemMatch":{"$elemMatch":{"$gt":1}}}}"#, #"{"a":[[2]]}"#, true),
    (#"{"a":{"$elemMatch":{"$gt":1}}}"#, #"{"a":[[2]]}"#, false),
    (#"{"a":{"$elemMatch":{"0":2}}}"#, #"{"a":[[2]]}"#, true),
    // Evaluation and bits.
    (#"{"a":{"$mod":[4,0]}}"#, #"{"a":8}"#, true), (#"{"a":{"$mod":[4,-1]}}"#, #"{"a":-5.9}"#, true),
    (#"{"a":{"$mod":[4,0]}}"#, #"{"a":"8"}"#, false),
    (#"{"a":{"$regex":"b","$options":"i"}}"#, #"{"a":"ABC"}"#, true),
    (#"{"a":{"$not":{"$regex":"b"}}}"#, #"{"a":1}"#, true),
    (#"{"a":{"$bitsAllSet":[0,2]}}"#, #"{"a":5}"#, true), (#"{"a":{"$bitsAllSet":2}}"#, #"{"a":5}"#, false),
    (#"{"a":{"$bitsAllSet":[63,200]}}"#, #"{"a":-1}"#, true),
    (#"{"a":{"$bitsAnyClear":7}}"#, #"{"a":5}"#, true),
    (#"{"a":{"$bitsAllClear":[1]}}"#, #"{"a":{"$binary":{"base64":"BQ==","subType":"00"}}}"#, true),
    (#"{"$expr":{"$gt":["$a","$b"]}}"#, #"{"a":2,"b":1}"#, true),
    (#"{"$and":[{"a":1},{"$or":[{"b":1},{"b":2}]}]}"#, #"{"a":1,"b":2}"#, true),
    (#"{"$nor":[{"a":1},{"b":2}]}"#, #"{"a":2}"#, true), (#"{"a":{"$not":{"$gt":1}}}"#, #"{}"#, true),
    (#"{"a":{"$not":{"$gt":1}}}"#, #"{"a":[2]}"#, false),
    (#"{"":null}"#, #"{"a":1}"#, true), (#"{}"#, #"{}"#, true),
    (#"{"a":{"$ref":"C","$id":1}}"#, #"{"a":{"$ref":"C","$id":1}}"#, true),
  ])
  func `a filter matches as the manual says`(filter: String, text: String, isMatch: Bool) throws {
    #expect(try matches(filter, text) == isMatch, "\(filter) on \(text)")
  }

  @Test(arguments: [
    (#"{"$who":1}"#, "unknown top level operator: $who."), (#"{"a":{"$foo":1}}"#, "unknown operator: $foo"),
    (#"{"$and":[]}"#, "$and/$or/$nor must be a nonempty array"), (#"{"$or":1}"#, "$or must be an array"),
    (#"{"a":{"$in":1}}"#, "$in needs an array"), (#"{"a":{"$in":[{"$gt":1}]}}"#, "cannot nest $ under $in"),
    (#"{"a":{"$mod":[0,1]}}"#, "divisor cannot be 0"),
    (#"{"a":{"$not":1}}"#, "$not needs a regex or a document"),
    (#"{"a":{"$options":"i"}}"#, "$options needs a $regex"),
    (#"{"a":{"$elemMatch":1}}"#, "$elemMatch needs an Object"),
    (#"{"a":{"$type":"strange"}}"#, "Unknown type name alias: strange"),
    (
      #"{"a":{"$ne":{"$regularExpression":{"pattern":"a","options":""}}}}"#, "Can't have regex as arg to $ne."
    ),
  ])
  func `a filter that is wrong is refused in MongoDB's words`(filter: String, message: String) throws {
    let error = error { _ = try Filter(document(filter)) }
    #expect(error?.code == .badValue)
    #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "none")")
  }

  @Test func `a filter has a bound in depth`() throws {
    var filter: Document = ["a": .int32(1)]
    for _ in 0..<200 { filter = ["$and": .array([.document(filter)])] }
    #expect(error { _ = try Filter(filter) }?.code == .badValue)
  }

  @Test(arguments: [
    (#"{"required":["a"],"properties":{"a":{"bsonType":"int","minimum":1}}}"#, #"{"a":1}"#, true),
    (#"{"required":["a"]}"#, #"{}"#, false),
    (#"{"properties":{"a":{"type":"string","maxLength":2}}}"#, #"{"a":"abc"}"#, false),
    (#"{"additionalProperties":false,"properties":{"_id":{},"a":{}}}"#, #"{"a":1,"b":2}"#, false),
    (#"{"properties":{"a":{"items":{"bsonType":"string"},"uniqueItems":true}}}"#, #"{"a":["x","y"]}"#, true),
    (#"{"properties":{"a":{"uniqueItems":true}}}"#, #"{"a":[1,1.0]}"#, false),
    (#"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#, #"{"b":1}"#, true),
    (#"{"not":{"required":["a"]}}"#, #"{"a":1}"#, false), (#"{"oneOf":[{},{}]}"#, #"{}"#, false),
    (#"{"properties":{"a":{"enum":[1,"x"]}}}"#, #"{"a":1.0}"#, true),
    (#"{"properties":{"a":{"multipleOf":2,"exclusiveMaximum":true,"maximum":6}}}"#, #"{"a":6}"#, false),
    (#"{"patternProperties":{"^x":{"type":"number"}}}"#, #"{"xy":"no"}"#, false),
    (#"{"dependencies":{"a":["b"]}}"#, #"{"a":1}"#, false),
    // Bounds that nothing is between.
    (#"{"properties":{"a":{"minLength":5,"maxLength":3}}}"#, #"{"a":"abcd"}"#, false),
    (#"{"properties":{"a":{"minItems":2,"maxItems":1}}}"#, #"{"a":[1]}"#, false),
    (#"{"minProperties":2,"maxProperties":1}"#, #"{"a":1}"#, false),
  ])
  func `a schema is a filter`(schema: String, text: String, isMatch: Bool) throws {
    #expect(try matches(#"{"$jsonSchema":\#(schema)}"#, text) == isMatch, "\(schema) on \(text)")
  }
}
