import GatehouseBSON
import GatehouseDocuments
import Testing

struct ExpressionTests {
  private func evaluated(_ expression: String, _ text: String = "{}") throws -> Value? {
    try Expression(value(expression)).value(in: Scope(root: document(text), now: now))
  }

  @Test(arguments: [
    (#""$a.b""#, #"{"a":{"b":1}}"#, "1"), (#""$a.b""#, #"{"a":[{"b":1},{},2,{"b":3}]}"#, "[1,3]"),
    (#""$a.b""#, #"{"a":[[{"b":1}]]}"#, "[]"), (#""$a""#, "{}", "missing"),
    (#""$$ROOT.a""#, #"{"a":1}"#, "1"), (#""$$CURRENT.a""#, #"{"a":1}"#, "1"),
    (#"{"$literal":"$a"}"#, "{}", #""$a""#), (#"{"x":"$a","y":"$b"}"#, #"{"a":1}"#, #"{"x":1}"#),
    (#"["$a"]"#, "{}", "[null]"),
    // Arithmetic: the widest type wins, and null is null.
    (#"{"$add":[1,2.5]}"#, "{}", "3.5"), (#"{"$add":["$a",1]}"#, "{}", "null"),
    (#"{"$add":[2147483647,1]}"#, "{}", #"{"$numberLong":"2147483648"}"#),
    (#"{"$add":[{"$date":{"$numberLong":"5"}},1000]}"#, "{}", #"{"$date":{"$numberLong":"1005"}}"#),
    (#"{"$subtract":[{"$date":{"$numberLong":"5"}},{"$date":{"$numberLong":"3"}}]}"#, "{}", "2"),
    (#"{"$multiply":[2,{"$numberDecimal":"1.5"}]}"#, "{}", #"{"$numberDecimal":"3.0"}"#),
    (#"{"$divide":[1,2]}"#, "{}", "0.5"), (#"{"$mod":[-7,3]}"#, "{}", "-1"),
    (#"{"$mod":[5.5,2]}"#, "{}", "1.5"),
    (#"{"$abs":-2}"#, "{}", "2"), (#"{"$ceil":1.2}"#, "{}", "2"), (#"{"$floor":-1.2}"#, "{}", "-2"),
    (#"{"$round":[2.5]}"#, "{}", "2"), (#"{"$round":[1234.5678,2]}"#, "{}", "1234.57"),
    (#"{"$round":[1250,-2]}"#, "{}", "1200"),
    (#"{"$trunc":[-1.29,1]}"#, "{}", "-1.2"), (#"{"$pow":[2,10]}"#, "{}", "1024"),
    (#"{"$pow":[2,-1]}"#, "{}", "0.5"), (#"{"$sqrt":9}"#, "{}", "3"), (#"{"$log10":100}"#, "{}", "2"),
    (#"{"$round":{"$numberDecimal":"2.55"}}"#, "{}", #"{"$numberDecimal":"3"}"#),
    (#"{"$bitAnd":[6,3]}"#, "{}", "2"), (#"{"$bitNot":0}"#, "{}", "-1"),
    // Comparison and conditions.
    (#"{"$cmp":["$a",null]}"#, "{}", "-1"), (#"{"$eq":["$a","$b"]}"#, "{}", "true"),
    (#"{"$gt":["x",1]}"#, "{}", "true"), (#"{"$and":[1,"x",[]]}"#, "{}", "true"),
    (#"{"$or":[0,null]}"#, "{}", "false"), (#"{"$not":["$a"]}"#, "{}", "true"),
    (#"{"$cond":[{"$gt":["$a",1]},"y","n"]}"#, #"{"a":2}"#, #""y""#),
    (#"{"$ifNull":["$a","$b",7]}"#, #"{"b":null}"#, "7"),
    (#"{"$switch":{"branches":[{"case":false,"then":1},{"case":true,"then":2}]}}"#, "{}", "2"),
    // Arrays.
    (#"{"$size":[[1,2]]}"#, "{}", "2"), (#"{"$arrayElemAt":[[1,2],-1]}"#, "{}", "2"),
    (#"{"$arrayElemAt":[[1,2],5]}"#, "{}", "missing"), (#"{"$first":"$a"}"#, #"{"a":[4,5]}"#, "4"),
    (#"{"$slice":[[1,2,3],-2]}"#, "{}", "[2,3]"), (#"{"$slice":[[1,2,3],1,1]}"#, "{}", "[2]"),
    (#"{"$concatArrays":[[1],[2]]}"#, "{}", "[1,2]"), (#"{"$in":[2,[1,2.0]]}"#, "{}", "true"),
    (#"{"$range":[0,10,3]}"#, "{}", "[0,3,6,9]"), (#"{"$range":[3,0,-2]}"#, "{}", "[3,1]"),
    (#"{"$reverseArray":{"$literal":[1,2]}}"#, "{}", "[2,1]"), (#"{"$indexOfArray":[[1,2,2],2]}"#, "{}", "1"),
    (#"{"$map":{"input":[1,2],"as":"x","in":{"$add":["$$x",1]}}}"#, "{}", "[2,3]"),
    (#"{"$filter":{"input":[1,2,3],"cond":{"$gt":["$$this",1]},"limit":1}}"#, "{}", "[2]"),
    (
      #"{"$reduce":{"input":["a","b"],"initialValue":"","in":{"$concat":["$$value","$$this"]}}}"#, "{}",
      #""ab""#
    ),
    (#"{"$let":{"vars":{"x":2},"in":{"$multiply":["$$x","$$x"]}}}"#, "{}", "4"),
    (#"{"$sortArray":{"input":[3,1,2],"sortBy":-1}}"#, "{}", "[3,2,1]"),
    (#"{"$sortArray":{"input":[{"a":2},{"a":1}],"sortBy":{"a":1}}}"#, "{}", #"[{"a":1},{"a":2}]"#),
    (#"{"$zip":{"inputs":[[1,2],[3]],"useLongestLength":true,"defaults":[0,9]}}"#, "{}", "[[1,3],[2,9]]"),
    (#"{"$percentile":{"input":[3,1,2],"p":[0.5,1],"method":"approximate"}}"#, "{}", "[2.0,3.0]"),
    (#"{"$firstN":{"n":2,"input":[1,2,3]}}"#, "{}", "[1,2]"),
    (#"{"$maxN":{"n":2,"input":[1,3,null,2]}}"#, "{}", "[3,2]"),
    (#"{"$arrayToObject":{"$literal":[["a",1],["b",2]]}}"#, "{}", #"{"a":1,"b":2}"#),
    (#"{"$objectToArray":"$a"}"#, #"{"a":{"x":1}}"#, #"[{"k":"x","v":1}]"#),
    (#"{"$sum":"$a"}"#, #"{"a":[1,"x",2]}"#, "3"), (#"{"$avg":[1,2]}"#, "{}", "1.5"),
    (#"{"$max":["$a",3]}"#, #"{"a":7}"#, "7"),
    // Sets.
    (#"{"$setUnion":[[2,1],[1.0,3]]}"#, "{}", "[1,2,3]"), (#"{"$setDifference":[[1,2,1],[2]]}"#, "{}", "[1]"),
    (#"{"$setIsSubset":[[1],[1,2]]}"#, "{}", "true"), (#"{"$setEquals":[[1,2],[2,1,1]]}"#, "{}", "true"),
    (#"{"$allElementsTrue":[[1,0]]}"#, "{}", "false"),
    // Texts.
    (#"{"$concat":["a","$b"]}"#, "{}", "null"), (#"{"$toUpper":"aé"}"#, "{}", #""Aé""#),
    (#"{"$strLenCP":"é😀"}"#, "{}", "2"), (#"{"$strLenBytes":"é"}"#, "{}", "2"),
    (#"{"$substrCP":["héllo",1,3]}"#, "{}", #""éll""#),
    (#"{"$substrBytes":["hello",1,-1]}"#, "{}", #""ello""#),
    (#"{"$split":["a-b-","-"]}"#, "{}", #"["a","b",""]"#), (#"{"$trim":{"input":"  a "}}"#, "{}", #""a""#),
    (#"{"$ltrim":{"input":"xxa","chars":"x"}}"#, "{}", #""a""#),
    (#"{"$replaceAll":{"input":"aXbX","find":"X","replacement":"-"}}"#, "{}", #""a-b-""#),
    (#"{"$replaceOne":{"input":"aXbX","find":"X","replacement":"-"}}"#, "{}", #""a-bX""#),
    (#"{"$regexMatch":{"input":"Line","regex":"^l","options":"i"}}"#, "{}", "true"),
    (
      #"{"$regexFind":{"input":"aé12","regex":"(\\d)(x)?"}}"#, "{}",
      #"{"match":"1","idx":2,"captures":["1",null]}"#
    ), (#"{"$indexOfCP":["éa","a"]}"#, "{}", "1"), (#"{"$strcasecmp":["A","b"]}"#, "{}", "-1"),
    (#"{"$size":{"$regexFindAll":{"input":"abab","regex":"a|b"}}}"#, "{}", "4"),
    // Types.
    (#"{"$type":"$a"}"#, "{}", #""missing""#), (#"{"$toInt":"12"}"#, "{}", "12"),
    (#"{"$toInt":3.9}"#, "{}", "3"), (#"{"$toString":1.5}"#, "{}", #""1.5""#),
    (#"{"$toString":2.0}"#, "{}", #""2""#), (#"{"$toBool":"false"}"#, "{}", "true"),
    (#"{"$toDecimal":"1.10"}"#, "{}", #"{"$numberDecimal":"1.10"}"#),
    (#"{"$convert":{"input":"x","to":"int","onError":-1}}"#, "{}", "-1"),
    (#"{"$convert":{"input":null,"to":"int","onNull":0}}"#, "{}", "0"),
    (#"{"$toDate":"2020-01-02T03:04:05Z"}"#, "{}", #"{"$date":"2020-01-02T03:04:05Z"}"#),
    (#"{"$toString":{"$toObjectId":"0123456789abcdef01234567"}}"#, "{}", #""0123456789abcdef01234567""#),
    // Objects.
    (#"{"$mergeObjects":["$a",{"b":2}]}"#, #"{"a":{"b":1,"c":3}}"#, #"{"b":2,"c":3}"#),
    (#"{"$getField":{"field":"x.y","input":{"$literal":{"x.y":1}}}}"#, "{}", "1"),
    (#"{"$setField":{"field":{"$literal":"$a"},"input":{"$literal":{}},"value":1}}"#, "{}", #"{"$a":1}"#),
    (#"{"$getField":"a"}"#, #"{"a":3}"#, "3"),
  ])
  func `an expression has the value that the manual says`(expression: String, text: String, result: String)
    throws
  {
    let value = try evaluated(expression, text)
    try expectSame(value, result, expression)
  }

  @Test(arguments: [
    (#"{"$year":"$d"}"#, "2024"), (#"{"$month":"$d"}"#, "2"),
    (#"{"$dayOfMonth":{"date":"$d","timezone":"+10:00"}}"#, "1"), (#"{"$hour":"$d"}"#, "23"),
    (#"{"$millisecond":"$d"}"#, "7"), (#"{"$dayOfWeek":"$d"}"#, "5"), (#"{"$dayOfYear":"$d"}"#, "60"),
    (#"{"$isoWeek":"$d"}"#, "9"), (#"{"$isoWeekYear":"$d"}"#, "2024"), (#"{"$week":"$d"}"#, "8"),
    (
      #"{"$dateToString":{"date":"$d","format":"%Y-%m-%d %H:%M:%S.%L %z %j %u"}}"#,
      #""2024-02-29 23:30:05.007 +0000 060 4""#
    ), (#"{"$dateToString":{"date":"$d"}}"#, #""2024-02-29T23:30:05.007Z""#),
    (
      #"{"$dateFromString":{"dateString":"29/02/2024","format":"%d/%m/%Y"}}"#,
      #"{"$date":"2024-02-29T00:00:00Z"}"#
    ),
    (#"{"$dateFromString":{"dateString":"2024-02-29T10:00:00+0200"}}"#, #"{"$date":"2024-02-29T08:00:00Z"}"#),
    (#"{"$dateFromParts":{"year":2024,"month":14,"day":0}}"#, #"{"$date":"2025-01-31T00:00:00Z"}"#),
    (#"{"$dateFromParts":{"isoWeekYear":2021,"isoWeek":1}}"#, #"{"$date":"2021-01-04T00:00:00Z"}"#),
    (#"{"$dateAdd":{"startDate":"$d","unit":"year","amount":1}}"#, #"{"$date":"2025-02-28T23:30:05.007Z"}"#),
    (
      #"{"$dateSubtract":{"startDate":"$d","unit":"hour","amount":24}}"#,
      #"{"$date":"2024-02-28T23:30:05.007Z"}"#
    ), (#"{"$dateDiff":{"startDate":{"$date":"2024-01-31T00:00:00Z"},"endDate":"$d","unit":"month"}}"#, "1"),
    (
      #"{"$dateTrunc":{"date":"$d","unit":"week","startOfWeek":"monday"}}"#,
      #"{"$date":"2024-02-26T00:00:00Z"}"#
    ), (#"{"$dateTrunc":{"date":"$d","unit":"hour","binSize":2}}"#, #"{"$date":"2024-02-29T22:00:00Z"}"#),
    (#"{"$dateTrunc":{"date":"$d","unit":"quarter"}}"#, #"{"$date":"2024-01-01T00:00:00Z"}"#),
    (
      #"{"$dateToParts":{"date":"$d","iso8601":true}}"#,
      #"{"isoWeekYear":2024,"isoWeek":9,"isoDayOfWeek":4,"hour":23,"minute":30,"second":5,"millisecond":7}"#
    ), (#""$$NOW""#, #"{"$date":{"$numberLong":"1700000000000"}}"#),
  ])
  func `dates are taken apart and put together`(expression: String, result: String) throws {
    try expectSame(evaluated(expression, #"{"d":{"$date":"2024-02-29T23:30:05.007Z"}}"#), result, expression)
  }

  @Test(arguments: [
    (#"{"$foo":1}"#, 168), (#"{"$add":1,"$abs":2}"#, 15983), (#"{"$divide":[1,0]}"#, 2),
    (#"{"$eq":[1]}"#, 16020), (#""$$x""#, 17276), (#""$""#, 16872), (#""$a.""#, 40353),
    (#"{"$toInt":"x"}"#, 241), (#"{"$arrayElemAt":[1,2]}"#, 28689), (#"{"$add":["x",1]}"#, 14),
    (#"{"$map":{"input":[1]}}"#, 17080),
    (#"{"$year":{"date":{"$date":"2024-01-01T00:00:00Z"},"timezone":"Europe/Nowhere"}}"#, 40485),
    (#"{"$size":1}"#, 17124), (#"{"$function":{}}"#, 115), (#"{"$range":[0,100000000]}"#, 292),
    (
      #"{"a":{"$range":[0,900000]},"b":{"$range":[0,900000]},"c":{"$range":[0,900000]},"d":{"$range":[0,900000]}}"#,
      292
    ),
    (
      #"{"$let":{"vars":{"a":{"$range":[0,900000]},"b":{"$range":[0,900000]},"c":{"$range":[0,900000]},"d":{"$range":[0,900000]}},"in":1}}"#,
      292
    ),
    (#"{"$zip":{"inputs":[{"$range":[0,1000000]},[],[],[]],"useLongestLength":true}}"#, 292),
    (
      #"{"$setUnion":[{"$range":[0,900000]},{"$range":[0,900000]},{"$range":[0,900000]},{"$range":[0,900000]}]}"#,
      292
    ),
    (
      #"{"$zip":{"inputs":[{"$range":[0,900000]},{"$range":[0,900000]},{"$range":[0,900000]},{"$range":[0,900000]}]}}"#,
      292
    ),
    (#"{"a.b":1}"#, 16412),
    (
      #"{"$dateAdd":{"startDate":"$$NOW","unit":"year","amount":{"$numberLong":"-9223372036854775808"}}}"#,
      5_166_405
    ),
    (#"{"$dateTrunc":{"date":{"$date":{"$numberLong":"-9223372036854775808"}},"unit":"millisecond"}}"#, 15),
    (
      #"{"$dateDiff":{"startDate":{"$date":{"$numberLong":"-9223372036854775808"}},"endDate":"$$NOW","unit":"day"}}"#,
      15
    ),
    (#"{"$subtract":[{"$date":{"$numberLong":"-9223372036854775808"}},"$$NOW"]}"#, 15),
    (#"{"$abs":{"$numberLong":"-9223372036854775808"}}"#, 28680),
    (#"{"$dateFromParts":{"isoWeekYear":{"$numberLong":"1000000000000"}}}"#, 31095),
    (#"{"$dateFromParts":{"isoWeekYear":{"$numberLong":"-1000000000000"}}}"#, 31095),
    (#"{"$dateFromParts":{"isoWeekYear":0}}"#, 31095),
    (#"{"$percentile":{"input":[1],"p":[{"$numberDouble":"Infinity"}],"method":"approximate"}}"#, 7_750_300),
  ])
  func `an expression that cannot be is refused`(expression: String, code: Int) throws {
    #expect(error { _ = try evaluated(expression) }?.code.number == code, "\(expression)")
  }
}
