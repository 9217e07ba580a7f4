import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// A schema in which everything can be reached from everywhere.
enum Library {
  static func schema() throws -> Schema {
    try Schema(
      notation: Value(
        json: """
          [{"name":"Note","primaryKey":"id","properties":{"id":"int","owner":"string","text":"string?",\
          "secret":"string?","stars":{"type":"int","default":3},"topic":"Topic?","mix":"mixed","tags":"string[]",\
          "place":"Place?","others":"Note[]"}},\
          {"name":"Topic","primaryKey":"id","properties":{"id":"int","name":"string","owner":"string",\
          "notes":{"type":"linkingObjects","objectType":"Note","property":"topic"}}},\
          {"name":"Hidden","primaryKey":"id","properties":{"id":"objectId","note":"Note?","owner":"objectId"}},\
          {"name":"Place","embedded":true,"properties":{"name":"string?","topic":"Topic?"}}]
          """))
  }

  /// A user who reads their own notes, and all topics.
  static func permit(
    _ roles: String = #"""
    {"user":{"classes":{"Note":{"read":"owner == %%user.id","write":"owner == %%user.id",\#
    "fields":{"secret":{"read":false},"stars":{"write":false}}},"Topic":{"read":true}}}}
    """#, id: String = "5f0000000000000000000001"
  ) throws -> Permit {
    let policy = try Policy(notation: Value(json: roles))
    let values = CallerValues(["id": .string(id), "data": .document(["email": .string("a@b.example")])])
    return Permit(
      Principal(.user(id: id), role: policy.roles["user"] ?? Role("user"), values: values), in: try schema())
  }

  static func plan(_ request: QueryRequest, _ objectType: String = "Note") throws -> Plan {
    try Plan(request: request, schema: schema(), objectType: objectType)
  }
}
