import GatehouseHTTP

@testable import GatehouseAPI

/// One try to get at what a caller may not see or change.
struct Intrusion: Sendable, CustomStringConvertible {
  let method: GatehouseHTTP.Method
  let target: String
  var json: String?
  var fields: [String: String] = [:]

  init(
    _ method: GatehouseHTTP.Method, _ target: String, _ json: String? = nil, _ fields: [String: String] = [:]
  ) {
    self.method = method
    self.target = target
    self.json = json
    self.fields = fields
  }

  var description: String { "\(method.rawValue) \(target) \(json ?? "")" }

  /// Whether it names the property that the intruder does not see.
  var namesSecret: Bool { description.contains("secret") }

  /// The same with a name, of as many letters, that nothing has.
  var namingNothing: Intrusion {
    Intrusion(
      method, target.replacing("secret", with: "nothng"), json?.replacing("secret", with: "nothng"), fields)
  }
}

/// Somebody who reads and writes the notes whose owner is `me`, but for their `secret`, reads topics, and nothing of
/// class `Vault`.
///
/// Note 1 is theirs, note 2 is not, note 3 links to note 2. Whatever they may not see has `SECRET` in it.
enum Intruder {
  static let schema = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","owner":"string","text":"string?",\
    "secret":"string?","n":{"type":"int","default":0},"next":"Note?","list":"string[]","map":"string{}",\
    "topic":"Topic?","vault":"Vault?","mix":"mixed",\
    "before":{"type":"linkingObjects","objectType":"Note","property":"next"}},\
    "projections":{"Bare":{"id":"id","hidden":"secret"}}},\
    {"name":"Topic","primaryKey":"id","properties":{"id":"int","name":"string?",\
    "notes":{"type":"linkingObjects","objectType":"Note","property":"topic"}}},\
    {"name":"Vault","primaryKey":"id","properties":{"id":"int","text":"string?"}}]
    """

  static let roles = """
    {"member":{"classes":{"Note":{"read":"owner == 'me'","write":"owner == 'me'",\
    "fields":{"secret":{"read":false}}},"Topic":{"read":true}}}}
    """

  static let objects: [(objectType: String, json: String)] = [
    ("Topic", #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#), ("Vault", #"[{"id":1,"text":"SECRET"}]"#),
    (
      "Note",
      """
      [{"id":2,"owner":"SECRET","text":"SECRET","secret":"SECRET","n":7,"topic":1,"list":["SECRET"],\
      "map":{"key":"SECRET"}},{"id":1,"owner":"me","text":"mine","secret":"SECRET","n":1,"topic":1,"vault":1},\
      {"id":3,"owner":"me","text":"too","secret":"SECRET","n":2,"next":2,"topic":2,"mix":{"$ref":"Note","$id":2}}]
      """
    ),
  ]

  /// The requests that are tried at an endpoint that shows objects. A new one that requires a permit needs a line here
  /// or below: `ForbiddenTests` sees to it.
  static func readings(_ endpoint: Endpoint) -> [Intrusion] {
    switch endpoint {
    case .countObjects: [Intrusion(.get, "/v1/collections")]
    case .findObjects: queries.map { Intrusion(.get, "/v1/collections/\($0.objectType)?\($0.url)") }
    case .queryObjects:
      queries.map { Intrusion(.query, "/v1/collections/\($0.objectType)", "{\($0.json)}") }
    case .runQuery:
      queries.map { query in
        let rest = query.json.isEmpty ? "" : ",\(query.json)"
        return Intrusion(.post, "/v1/query", #"{"from":"\#(query.objectType)"\#(rest)}"#)
      }
    case .readObject:
      [
        "Note/2", "Vault/1", "Note/1", "Note/1?fields=secret,id", "Note/1?fields=vault.text",
        "Note/1?expand=vault",
        "Note/3?expand=next", "Note/3?fields=next.text", "Note/1?projection=Bare", "Topic/1?fields=notes",
        "Topic/1?expand=notes", "Topic/1?fields=notes.text",
      ]
      .map { Intrusion(.get, "/v1/collections/\($0)") }
    case .readProperty:
      [
        "Note/2/text", "Note/2/list", "Note/2/map/key", "Note/1/secret", "Note/3/next/text",
        "Note/1/vault/text",
        "Note/2/list?contains=%22SECRET%22", "Note/3/next/list?aggregate=@count", "Note/3/next?fields=text",
        "Note/1/vault?fields=text", "Topic/1/notes",
        "Note/2/before",
        "Topic/1/notes?aggregate=@count", "Topic/1/notes?filter=secret%20==%20'SECRET'",
      ]
      .map { Intrusion(.get, "/v1/collections/\($0)") }
    case .openStream, .openStreamByTicket:
      ["Vault", "Note?filter=secret=='SECRET'", "Note/2"].map {
        Intrusion(.post, "/v1/streams", #"[{"url":"/v1/collections/\#($0)"}]"#)
      }
    case .addSubscriptions, .removeSubscription:
      [Intrusion(.post, "/v1/streams", #"[{"url":"/v1/collections/Vault"}]"#)]
    case .runDataAction:
      documentReadings.map {
        Intrusion(.post, DataAPITests.target($0.action), DataAPITests.content($0.collection, $0.members))
      }
    case .readChanges:
      ["since=0", "since=0&class=Note", "since=0&class=Vault"].map { Intrusion(.get, "/v1/changes?\($0)") }
    default: []
    }
  }

  /// The requests that are tried at an endpoint that writes objects.
  static func writings(_ endpoint: Endpoint) -> [Intrusion] {
    switch endpoint {
    case .createObjects:
      [
        Intrusion(.post, "/v1/collections/Vault", #"{"id":9}"#),
        Intrusion(.post, "/v1/collections/Topic", #"{"id":9}"#),
        Intrusion(.post, "/v1/collections/Note", #"{"id":9,"owner":"you"}"#),
        Intrusion(.post, "/v1/collections/Note", #"[{"id":8,"owner":"me"},{"id":9,"owner":"you"}]"#),
        Intrusion(.post, "/v1/collections/Note", #"{"id":9,"owner":"me","secret":"x"}"#),
        Intrusion(.post, "/v1/collections/Note?mode=modified", #"{"id":2,"owner":"me"}"#),
        Intrusion(.post, "/v1/collections/Note?mode=all", #"{"id":1,"owner":"you"}"#),
        Intrusion(
          .post, "/v1/collections/Note", #"{"id":9,"owner":"you"}"# + "\n",
          ["content-type": "application/x-ndjson"]),
      ]
    case .patchObjects:
      [
        Intrusion(.patch, "/v1/collections/Note?filter=id%20==%202", #"{"n":9}"#),
        Intrusion(.patch, "/v1/collections/Note?filter=id%20==%201", #"{"owner":"you"}"#),
        Intrusion(.patch, "/v1/collections/Note?filter=id%20==%201", #"{"secret":"x"}"#),
        Intrusion(.patch, "/v1/collections/Note?filter=secret%20==%20'SECRET'", #"{"n":9}"#),
        Intrusion(.patch, "/v1/collections/Topic?filter=TRUEPREDICATE", #"{"name":"x"}"#),
        Intrusion(.patch, "/v1/collections/Vault?filter=TRUEPREDICATE", #"{"text":"x"}"#),
      ]
    case .deleteObjects:
      [
        "Note?filter=id%20==%202", "Topic?filter=TRUEPREDICATE", "Vault?filter=TRUEPREDICATE",
        "Note?filter=next.text%20==%20'SECRET'",
      ]
      .map { Intrusion(.delete, "/v1/collections/\($0)") }
    case .putObject:
      [("Note/2", #"{"owner":"me"}"#), ("Note/1", #"{"owner":"you"}"#), ("Vault/1", "{}"), ("Vault/9", "{}")]
        .map { Intrusion(.put, "/v1/collections/\($0.0)", $0.1) }
    case .patchObject:
      [
        ("Note/2", #"{"n":9}"#), ("Note/1", #"{"owner":"you"}"#), ("Note/1", #"{"secret":"x"}"#),
        ("Note/1", #"{"$set":{"secret":"x"}}"#), ("Topic/1", #"{"name":"x"}"#), ("Vault/1", #"{"text":"x"}"#),
      ].map { Intrusion(.patch, "/v1/collections/\($0.0)", $0.1) }
        + [
          Intrusion(
            .patch, "/v1/collections/Note/1", #"[{"op":"copy","from":"/secret","path":"/text"}]"#,
            ["content-type": "application/json-patch+json"])
        ]
    case .deleteObject:
      ["Note/2", "Topic/1", "Vault/1"].map { Intrusion(.delete, "/v1/collections/\($0)") }
    case .putProperty:
      [
        ("Note/2/n", "9"), ("Note/1/secret", #""x""#), ("Note/1/owner", #""you""#), ("Note/3/next/n", "9"),
        ("Note/1/vault/text", #""x""#), ("Topic/1/name", #""x""#), ("Note/1/topic/name", #""x""#),
      ]
      .map { Intrusion(.put, "/v1/collections/\($0.0)", $0.1) }
    case .patchProperty:
      [
        Intrusion(.patch, "/v1/collections/Note/2/map", #"{"x":"y"}"#),
        Intrusion(.patch, "/v1/collections/Note/3/next/map", #"{"x":"y"}"#),
      ]
    case .extendProperty:
      [
        Intrusion(.post, "/v1/collections/Note/2/list", #""x""#),
        Intrusion(.post, "/v1/collections/Note/3/next/list", #""x""#),
      ]
    case .deleteProperty:
      ["Note/2/text", "Note/1/secret", "Note/2/map/key", "Note/2/list/0", "Note/3/next/text", "Topic/1/name"]
        .map { Intrusion(.delete, "/v1/collections/\($0)") }
    case .runDataAction:
      documentWritings.map {
        Intrusion(.post, DataAPITests.target($0.action), DataAPITests.content($0.collection, $0.members))
      }
    case .runTransaction:
      [
        #"{"op":"create","class":"Vault","value":{"id":9}}"#,
        #"{"op":"create","class":"Note","value":{"id":9,"owner":"you"}}"#,
        #"{"op":"put","class":"Note","id":2,"value":{"owner":"me"}}"#,
        #"{"op":"update","class":"Note","id":2,"set":{"n":9}}"#,
        #"{"op":"update","class":"Note","id":1,"set":{"owner":"you"}}"#,
        #"{"op":"update","class":"Note","id":1,"set":{"secret":"x"}}"#,
        #"{"op":"delete","class":"Note","id":2}"#,
        #"{"op":"list.append","class":"Note","id":2,"path":"list","values":["x"]}"#,
        #"{"op":"map.set","class":"Note","id":3,"path":"next/map","key":"x","value":"y"}"#,
        #"{"op":"property.set","class":"Note","id":1,"path":"secret","value":"x"}"#,
      ].map { Intrusion(.post, "/v1/transactions", #"{"operations":[\#($0)]}"#) }
    default: []
    }
  }

  private static let documentReadings: [(action: String, collection: String, members: String)] = [
    ("find", "Note", ""), ("find", "Vault", ""), ("findOne", "Note", #""filter":{"_id":2}"#),
    ("find", "Note", #""filter":{"secret":"SECRET"}"#),
    ("find", "Note", #""filter":{"secret":{"$exists":true}}"#),
    ("find", "Note", #""filter":{"$expr":{"$eq":["$secret","SECRET"]}}"#),
    ("find", "Note", #""sort":{"secret":1},"projection":{"secret":1}"#),
    ("find", "Note", #""filter":{"next":2}"#), ("find", "Note", #""filter":{"vault":1}"#),
    ("find", "Note", #""filter":{"mix.$id":2}"#), ("find", "Note", #""projection":{"x":"$secret"}"#),
    ("count", "Note", #""filter":{"_id":2}"#), ("count", "Note", #""filter":{"secret":{"$ne":null}}"#),
    ("count", "Vault", ""), ("distinct", "Note", #""key":"secret""#), ("distinct", "Note", #""key":"owner""#),
    ("distinct", "Vault", #""key":"text""#),
    ("aggregate", "Note", #""pipeline":[{"$group":{"_id":"$secret","n":{"$sum":"$n"}}}]"#),
    ("aggregate", "Note", #""pipeline":[{"$group":{"_id":null,"all":{"$push":"$$ROOT"}}}]"#),
    (
      "aggregate", "Note",
      #""pipeline":[{"$sort":{"secret":1}},{"$project":{"a":{"$objectToArray":"$$ROOT"}}}]"#
    ),
    (
      "aggregate", "Note",
      #""pipeline":[{"$lookup":{"from":"Vault","localField":"vault","foreignField":"_id","as":"x"}}]"#
    ),
    (
      "aggregate", "Note",
      #""pipeline":[{"$lookup":{"from":"Note","localField":"next","foreignField":"_id","as":"x"}}]"#
    ),
    ("aggregate", "Topic", #""pipeline":[{"$lookup":{"from":"Note","pipeline":[],"as":"x"}}]"#),
    ("aggregate", "Topic", #""pipeline":[{"$unionWith":"Vault"},{"$unionWith":"Note"}]"#),
    (
      "aggregate", "Note",
      #""pipeline":[{"$graphLookup":{"from":"Note","startWith":2,"connectFromField":"next","connectToField":"_id","as":"x"}}]"#
    ),
    (
      "aggregate", "Topic",
      #""pipeline":[{"$facet":{"x":[{"$lookup":{"from":"Vault","pipeline":[],"as":"y"}}]}}]"#
    ),
  ]

  private static let documentWritings: [(action: String, collection: String, members: String)] = [
    ("insertOne", "Vault", #""document":{"_id":9}"#), ("insertOne", "Topic", #""document":{"_id":9}"#),
    ("insertOne", "Note", #""document":{"_id":9,"owner":"you"}"#),
    ("insertMany", "Note", #""documents":[{"_id":9,"owner":"you"},{"_id":8,"owner":"me"}]"#),
    ("insertOne", "Note", #""document":{"_id":9,"owner":"me","secret":"x"}"#),
    ("updateOne", "Note", #""filter":{"_id":2},"update":{"$set":{"n":9}}"#),
    ("updateOne", "Note", #""filter":{"_id":1},"update":{"$set":{"owner":"you"}}"#),
    ("updateOne", "Note", #""filter":{"_id":1},"update":{"$set":{"secret":"x"}}"#),
    ("updateOne", "Note", #""filter":{"_id":1},"update":{"$rename":{"text":"secret"}}"#),
    ("updateMany", "Note", #""filter":{"secret":"SECRET"},"update":{"$set":{"n":9}}"#),
    ("updateMany", "Topic", #""filter":{},"update":{"$set":{"name":"x"}}"#),
    ("updateMany", "Vault", #""filter":{},"update":{"$set":{"text":"x"}}"#),
    ("updateOne", "Note", #""filter":{"_id":2},"update":{"$set":{"owner":"me"}},"upsert":true"#),
    ("replaceOne", "Note", #""filter":{"_id":2},"replacement":{"owner":"me"}"#),
    ("replaceOne", "Note", #""filter":{"_id":1},"replacement":{"owner":"you"}"#),
    ("deleteOne", "Note", #""filter":{"_id":2}"#), ("deleteMany", "Note", #""filter":{"next":2}"#),
    ("deleteMany", "Topic", #""filter":{}"#), ("deleteMany", "Vault", #""filter":{}"#),
    ("findOneAndUpdate", "Note", #""filter":{"_id":2},"update":{"$set":{"n":9}}"#),
    ("findOneAndDelete", "Topic", #""filter":{}"#),
  ]

  /// The same query for a URL and for a content.
  private static let queries: [(objectType: String, url: String, json: String)] = [
    ("Note", "", ""), ("Vault", "", ""), ("Vault", "aggregate=@count", #""aggregate":"@count""#),
    ("Note", "filter=id%20==%202", #""filter":"id == 2""#),
    ("Note", "fields=secret,id", #""fields":"secret,id""#),
    ("Note", "fields=x:secret,id", #""fields":"x:secret,id""#),
    ("Note", "projection=Bare", #""projection":"Bare""#),
    ("Note", "filter=secret%20==%20'SECRET'", #""filter":"secret == 'SECRET'""#),
    ("Note", "filter=next.text%20==%20'SECRET'", #""filter":"next.text == 'SECRET'""#),
    ("Note", "filter=vault.text%20==%20'SECRET'", #""filter":"vault.text == 'SECRET'""#),
    ("Note", "filter=before.@count%20%3E%200", #""filter":"before.@count > 0""#),
    ("Note", "filter=mix.text%20==%20'SECRET'", #""filter":"mix.text == 'SECRET'""#),
    ("Topic", "filter=notes.@count%20%3E%201", #""filter":"notes.@count > 1""#),
    ("Topic", "filter=ANY%20notes.text%20==%20'SECRET'", #""filter":"ANY notes.text == 'SECRET'""#),
    (
      "Topic", "filter=SUBQUERY(notes,%20$n,%20$n.n%20==%207).@count%20%3E%200",
      #""filter":"SUBQUERY(notes, $n, $n.n == 7).@count > 0""#
    ),
    ("Note", "sort=secret", #""sort":"secret""#), ("Note", "sort=next.text", #""sort":"next.text""#),
    ("Note", "distinct=secret", #""distinct":"secret""#), ("Note", "expand=next", #""expand":"next""#),
    ("Note", "expand=vault", #""expand":"vault""#), ("Note", "fields=next.text", #""fields":"next.text""#),
    ("Topic", "expand=notes", #""expand":"notes""#), ("Topic", "fields=notes", #""fields":"notes""#),
    ("Note", "aggregate=@count,n.@sum", #""aggregate":"@count,n.@sum""#),
    ("Note", "aggregate=next.n.@max", #""aggregate":"next.n.@max""#),
    ("Note", "sectionBy=secret", #""sectionBy":"secret""#),
    ("Note", "sectionBy=owner", #""sectionBy":"owner""#),
    ("Note", "sectionBy=next.text", #""sectionBy":"next.text""#),
    ("Note", "explain=true", #""explain":true"#),
  ]
}
