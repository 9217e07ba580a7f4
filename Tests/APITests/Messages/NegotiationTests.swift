import Testing

@testable import GatehouseAPI

@Suite struct NegotiationTests {
  @Test(
    arguments: [
      ("application/json", .json), ("*/*", .json), ("application/*", .json), ("APPLICATION/BSON", .bson),
      ("application/ejson, application/bson", .extendedJSON),
      ("application/json;q=0.5, application/bson;q=0.6", .bson),
      ("application/json;q=0.5,application/*", .extendedJSON),
      ("*/*;q=0.1, application/x-ndjson", .jsonLines),
      ("application/json; charset=utf-8 ; q=1.0", .json),
      ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", .json),
      ("application/json;q=0, */*", .extendedJSON),
      // Malformed items count for nothing.
      ("json, application/bson", .bson), ("application/json;q=2, application/bson;q=0.001", .bson),
      ("application/json;q=0.1234, application/bson", .bson), ("*/json", nil),
      ("text/html", nil), ("application/json;q=0", nil), ("application/json;q=0.000", nil), ("", nil),
      (",,;", nil),
      ("application/", nil), ("/", nil), ("a/b/c", nil),
    ] as [(String, MediaType?)])
  func `Accept chooses among the offers`(accept: String, preferred: MediaType?) {
    #expect(Accept(accept).preferred(among: MediaType.forCollections) == preferred)
  }

  @Test(
    arguments: [
      ("application/json", .json), ("Application/JSON ; Charset=\"UTF-8\"", .json),
      ("application/ejson", .extendedJSON),
      ("application/bson", .bson), ("application/x-ndjson", .jsonLines),
      ("application/merge-patch+json", .mergePatch),
      ("application/json;charset=utf-16", nil), ("text/json", nil), ("", nil), ("application/json,x/y", nil),
    ] as [(String, ContentType?)])
  func `Content-Type is one of those known`(value: String, type: ContentType?) {
    #expect(ContentType(value) == type)
  }

  @Test(
    arguments: [
      (nil, false, false), ("return=minimal", true, false), ("count=exact", false, true),
      ("Return = \"Minimal\" ; x=y, count=exact", true, true),
      ("return=representation, return=minimal", false, false),
      ("respond-async, wait=5", false, false), ("count=planned", false, false), ("return", false, false),
      ("", false, false),
    ] as [(String?, Bool, Bool)])
  func `preferences that are known are followed`(value: String?, isMinimal: Bool, isExact: Bool) {
    let preferences = Preferences(value)
    #expect(preferences.returnsMinimal == isMinimal)
    #expect(preferences.countsExactly == isExact)
  }

  @Test(
    arguments: [
      ("*", .any), (" * ", .any), ("\"1\"", .list([tag("1")])), ("W/\"1\"", .list([tag("1", isWeak: true)])),
      ("\"a,b\" ,, W/\"\"", .list([tag("a,b"), tag("", isWeak: true)])),
      ("", nil), (",", nil), ("1", nil), ("\"1", nil), ("w/\"1\"", nil), ("\"1\" \"2\"", nil),
      ("*, \"1\"", nil),
      ("\"1\"x", nil),
    ] as [(String, EntityTags?)])
  func `entity tags are a list or a star`(value: String, tags: EntityTags?) {
    if let tags {
      #expect(throws: Never.self) { try #expect(EntityTags(value, field: "If-Match") == tags) }
    } else {
      #expect(throws: APIError.invalidPrecondition("If-Match")) { try EntityTags(value, field: "If-Match") }
    }
  }

  @Test func `the versions of tags are those of strong tags of ours`() {
    let tags = ["17", "18-ejson", "19-bson", "20-x", "-21", "+22", "", "99999999999999999999", "x"].map {
      tag($0)
    }
    #expect(EntityTags.list(tags + [tag("5", isWeak: true)]).versions == [17, 18, 19])
  }
}

private func tag(_ opaque: String, isWeak: Bool = false) -> EntityTags.Tag {
  EntityTags.Tag(isWeak: isWeak, opaque: opaque)
}
