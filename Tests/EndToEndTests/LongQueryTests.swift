import Testing

/// Queries and writes without an end, whose clients leave.
@Suite(.serialized) struct LongQueryTests {
  private static let schema = """
    [{"name": "A", "primaryKey": "id", "properties": {"id": "int", "links": "A[]"}}]
    """
  private static let endless = "/v1/collections/A?filter=ALL+links.links.links.links.links.id+%3C+64"

  /// Makes 64 objects, each of which links to all.
  private func fill(_ server: RunningServer) throws {
    try #require(try server.send("PUT", "/v1/schema", body: Self.schema).status == "200 OK")
    let links = (0..<64).map(String.init).joined(separator: ",")
    let objects = (0..<64).map { #"{"id":\#($0),"links":[\#(links)]}"# }.joined(separator: ",")
    try #require(try server.send("POST", "/v1/collections/A", body: "[\(objects)]").status == "201 Created")
  }

  @Test func `a client that leaves takes its query with it`() throws {
    let folder = try Folder()
    let server = try RunningServer(folder, options: ["--limits-query-seconds", "0", "--event-loops", "1"])
    try fill(server)
    // More than there are threads for them: if one stayed, no other long query would ever be answered.
    for _ in 0..<6 {
      try server.abandon("GET \(Self.endless) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      // The loop goes on meanwhile.
      #expect(try server.send("GET", "/v1/collections/A/7?fields=id").body == #"{"id":7}"#)
    }
    let long = "/v1/collections/A?filter=ALL+links.links.links.id+%3C+64&fields=id&limit=1"
    #expect(try server.send("GET", long).body == #"[{"id":0}]"#)
    #expect(server.stop() == 0)
  }

  @Test(arguments: ["DELETE", "PATCH"])
  func `a client that leaves takes its write of many objects with it`(method: String) throws {
    let folder = try Folder()
    let server = try RunningServer(
      folder,
      options: ["--limits-query-seconds", "0", "--limits-write-seconds", "0", "--event-loops", "1"])
    try fill(server)
    let content = method == "PATCH" ? #"{"links":[]}"# : ""
    let head = """
      \(method) \(Self.endless) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
      Content-Length: \(content.utf8.count)\r\n\r\n
      """
    // More than there are threads that look for what matches: if one stayed, the last of them would wait for ever.
    for _ in 0..<6 {
      try server.abandon(head + content)
      #expect(try server.send("GET", "/v1/collections/A/7?fields=id").body == #"{"id":7}"#)
    }
    let none = "/v1/collections/A?filter=ALL+links.links.links.id+%3E%3D+64"
    #expect(try server.send(method, none, body: content).body == #"{"count":0}"#)
    let version = try server.send("POST", "/v1/collections/A", body: #"{"id":64,"links":[]}"#)
    #expect(version.status == "201 Created")
    let count = "/v1/collections/A?aggregate=@count,links.id.@sum"
    #expect(try server.send("GET", count).body == #"{"@count":65,"links.id.@sum":129024}"#)
    #expect(server.stop() == 0)
  }
}
