import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import GatehouseStorage

/// The store's answer to ten queries as plain JSON, beside what SQLite takes for the same rows by SQL written by
/// hand: prepared once, its values in the text, its columns read; and with SQLite writing the JSON.
func measureQueries(_ directory: String, only number: Int?) throws {
  let store = try Store(directory: directory)
  let reader = try store.makeReader()
  let database = try Connection(path: "\(directory)/gatehouse.db", mode: .readOnly)
  try database.execute("PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824;")
  var worst = 0.0
  row(("", -68), ("rows", 6), ("ours µs", 10), ("SQL µs", 10), ("ratio", 7), ("with JSON", 10), ("ratio", 7))
  for query in number.map({ [Query.all[$0]] }) ?? Query.all {
    let request = QueryRequest(filter: query.filter, sort: query.sort, limit: 100, selection: FieldSelection(fields: query.fields))
    let plan = try Plan(request: request, schema: store.schema, objectType: query.from)
    let statement = try database.prepare(query.sql)
    let writing = try database.prepare(query.sqlWritingJSON)
    var rows = 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 16)
    // In turns, so that what else the machine does falls on both.
    var (ours, theirs, json) = (Double.infinity, Double.infinity, Double.infinity)
    for _ in 0..<5 {
      ours = min(
        ours,
        try time(2, rounds: 6) {
          bytes.removeAll(keepingCapacity: true)
          rows = try reader.page(plan, as: .json, framing: .array, into: &bytes).count
        })
      theirs = min(theirs, try time(2, rounds: 6) { try readAll(statement) })
      json = min(json, try time(2, rounds: 6) { try readAll(writing) })
    }
    worst = max(worst, ours / theirs)
    row(
      ("\(query.from): \(query.filter)\(query.sort.map { " | " + $0 } ?? "")", -68), ("\(rows)", 6),
      (shown(ours / 1000, 1), 10), (shown(theirs / 1000, 1), 10), (shown(ours / theirs, 2), 7),
      (shown(json / 1000, 1), 10), (shown(ours / json, 2), 7))
  }
  print("worst ratio: \(shown(worst, 2))")
}

private func readAll(_ statement: Statement) throws {
  var count = 0
  while try statement.step() {
    for column in 0..<statement.columnCount { count &+= statement.text(at: column).count }
  }
  statement.reset()
}

/// A query in both languages.
private struct Query {
  let from: String
  let filter: String
  let sort: String?
  let fields: String
  let sql: String

  var sqlWritingJSON: String {
    let members = fields.split(separator: ",").map { "'\($0)', \($0)" }
    return "SELECT json_object(\(members.joined(separator: ", "))) FROM (\(sql))"
  }

  static let all = [
    Query(
      from: "City", filter: "population > 5000000", sort: "-population", fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE population > 5000000 ORDER BY population DESC, _key LIMIT 101
        """),
    Query(
      from: "City", filter: "country.iso == 'DE'", sort: nil, fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE country = (SELECT _key FROM Country WHERE iso = 'DE')
        ORDER BY _key LIMIT 101
        """),
    Query(
      from: "City", filter: "country.iso == 'US'", sort: "-population", fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE country = (SELECT _key FROM Country WHERE iso = 'US')
        ORDER BY population DESC, _key LIMIT 101
        """),
    Query(
      from: "City", filter: "country.continent.code == 'AF' AND population > 1000000", sort: nil,
      fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE country IN (SELECT _key FROM Country WHERE continent =
          (SELECT _key FROM Continent WHERE code = 'AF')) AND population > 1000000 ORDER BY _key LIMIT 101
        """),
    Query(
      from: "City", filter: "name BEGINSWITH 'San '", sort: nil, fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE name >= 'San ' AND name < 'San!' ORDER BY _key LIMIT 101
        """),
    Query(
      from: "City", filter: "name IN {'Springfield', 'Paris', 'London'}", sort: "name,-population",
      fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE name IN ('Springfield', 'Paris', 'London')
        ORDER BY name, population DESC, _key LIMIT 101
        """),
    Query(
      from: "City", filter: "name CONTAINS 'burg' AND population > 200000", sort: nil,
      fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE instr(name, 'burg') > 0 AND population > 200000
        ORDER BY _key LIMIT 101
        """),
    Query(
      from: "City", filter: "ANY alternateNames == 'Moskau'", sort: nil, fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE EXISTS (SELECT 1 FROM "City.alternateNames" AS a
          WHERE a.owner = City._key AND a.value = 'Moskau') ORDER BY _key LIMIT 101
        """),
    Query(
      from: "Country", filter: "SUBQUERY(cities, $c, $c.population > 5000000).@count > 1", sort: "name",
      fields: "iso,name",
      sql: """
        SELECT iso, name FROM Country WHERE (SELECT count(*) FROM City WHERE country = Country._key
          AND population > 5000000) > 1 ORDER BY name, _key LIMIT 101
        """),
    Query(
      from: "City", filter: "timezone == 'Europe/Paris' OR timezone == 'Europe/Rome'", sort: nil,
      fields: "_id,name,population",
      sql: """
        SELECT _id, name, population FROM City WHERE timezone IN ('Europe/Paris', 'Europe/Rome')
        ORDER BY _key LIMIT 101
        """),
  ]
}
