import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// Functions of a running server, and what they leave behind.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct FunctionServeTests {
  private func server(
    _ functions: [String: String], options: [String] = [], environment: [String] = []
  ) throws -> (RunningServer, Folder) {
    let folder = try Sample.nodeStore()
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/functions", withIntermediateDirectories: true)
    for (name, source) in functions {
      let file = name.contains(".") ? name : "\(name).js"
      try source.write(toFile: "\(folder.data)/functions/\(file)", atomically: false, encoding: .utf8)
    }
    // The folder is there as long as somebody holds it.
    return (try RunningServer(folder, options: options, environment: environment), folder)
  }

  @Test func `a function reads and writes the data`() throws {
    let (server, folder) = try server([
      "fill": """
      exports = function (count) {
        for (let id = 0; id < count; id++) context.realm.create("Node", {_id: id, label: `n${id}`});
        return context.realm.objects("Node").length;
      };
      """,
      "work": """
      exports = function () {
        const nodes = context.realm.objects("Node");
        context.realm.transaction(t => {
          t.update("Node", 1, {label: "one"});
          t.delete("Node", 0);
          t.create("Node", {_id: 3000000000, label: "large", next: 1});
        });
        context.realm.update("Node", 2, {next: 1});
        context.realm.delete("Node", 3);
        let refusal;
        try { context.realm.create("Node", {_id: 1, label: "again"}); } catch (error) { refusal = error.code; }
        return {
          all: nodes.filtered("_id < $0", 10).sorted("_id", true).map(n => n._id),
          both: nodes.filtered("_id > $0", 1).filtered("_id < $0", 6).length,
          pages: [...nodes].length,
          one: context.realm.objectForPrimaryKey("Node", 1).label,
          none: context.realm.objectForPrimaryKey("Node", 77777),
          large: nodes.filtered("label == $0", "large").first,
          first: nodes.limited(2).toArray().length,
          refusal,
        };
      };
      """,
    ])
    #expect(try server.send("POST", "/v1/functions/fill", body: "[1500]").body == "1500")
    let answer = try server.send("POST", "/v1/functions/work", body: "[]")
    #expect(
      answer.body == """
        {"all":[9,8,7,6,5,4,2,1],"both":3,"pages":1499,"one":"one","none":null,\
        "large":{"_id":3000000000.0,"label":"large","next":1},"first":2,"refusal":"object_exists"}
        """)
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  @Test(.enabled(if: Geonames.python != nil, "Python is not installed"))
  func `a program reads and writes the data`() throws {
    let source = try String(contentsOfFile: "\(Machine.root)/Tests/EndToEndTests/count.py", encoding: .utf8)
    // Where python3 is a shell script that looks for the right one, it starts processes.
    let config = #"[{"name":"count","starts_processes":true}]"#
    let (server, folder) = try server(["config.json": config, "count.py": source])
    try FileManager.default.moveItem(
      atPath: "\(folder.data)/functions/count.py", toPath: "\(folder.data)/functions/count")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(folder.data)/functions/count")
    for (id, label) in [(1, "a1"), (2, "a2"), (3, "b"), (4, "a3"), (5, "a4"), (6, "a5")] {
      let object = #"{"_id":\#(id),"label":"\#(label)"}"#
      #expect(try server.send("POST", "/v1/collections/Node", body: object).status.hasPrefix("201"))
    }
    let call = { try server.send("POST", "/v1/functions/count", body: $0).body }
    #expect(try call(#"["a",10]"#) == "5")
    #expect(try call(#"["b",11]"#) == "1")
    #expect(try call(#"["b",11]"#).contains(#""detail":"object_exists""#))
    let noted = try server.send("GET", "/v1/collections/Node?filter=_id%20%3E%209&fields=label&sort=_id").body
    #expect(noted == #"[{"label":"5 of a"},{"label":"1 of b"}]"#)
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  @Test func `bad calls leave no descriptor, process or zombie behind`() throws {
    let (server, folder) = try server(
      [
        "config.json": """
        [{"name":"good"},{"name":"exit"},{"name":"loop","time_limit_seconds":1},{"name":"large"},{"name":"bomb"}]
        """,
        "good": "exports = () => 1;", "exit": "exports = () => process.exit(1);",
        "loop": "exports = () => { for (;;); };", "large": "exports = () => 'x'.repeat(2000);",
        "bomb": "exports = () => { throw require('child_process').spawnSync('true').error; };",
      ],
      options: ["--functions-workers", "1", "--functions-result-bytes", "1000"])
    let good = { try server.send("POST", "/v1/functions/good", body: "[]").body }
    #expect(try good() == "1")
    let before = server.descriptors
    for _ in 0..<3 {
      for (name, status) in [("exit", "500"), ("loop", "504"), ("large", "500"), ("bomb", "400")] {
        let answer = try server.send("POST", "/v1/functions/\(name)", body: "[]")
        #expect(answer.status.hasPrefix(status), "\(name): \(answer.status) \(answer.body)")
        #expect(try good() == "1")
      }
    }
    // Connections of the last requests may not be closed yet, nor the last of the dead be waited for.
    #expect(RunningServer.soon { server.children.count == 1 })
    #expect(RunningServer.soon { server.descriptors <= before })
    let workers = server.children.map(\.id)
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
    #expect(workers.allSatisfy(RunningServer.ends))
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `what programs have started dies with the server`(signal: Int32) throws {
    // The second call is still being made when the server is told to stop.
    let source = "#!/bin/sh\nread line\nsleep 1000 &\necho \"{\\\"result\\\":$!}\"\nread line\nsleep 1000\n"
    let (server, folder) = try server([
      "config.json": #"[{"name":"start","starts_processes":true}]"#, "start.sh": source,
    ])
    let path = "\(folder.data)/functions/start"
    try FileManager.default.moveItem(atPath: "\(path).sh", toPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let started = try #require(Int32(try server.send("POST", "/v1/functions/start", body: "[]").body))
    #expect(!RunningServer.isGone(started))
    try server.abandon(
      "POST /v1/functions/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 0\r\n\r\n")
    server.process.send(signal)
    _ = server.process.wait()
    #expect(RunningServer.ends(started))
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [false, true])
  func `functions do not see what the server was told in confidence`(byFlag: Bool) throws {
    let key = "k3y-of-the-administrator"
    let (server, folder) = try server(
      [
        "look": """
        exports = () => {
          const fs = require('fs');
          const server = `/proc/${process.ppid}`;
          const seen = {keys: [], open: []};
          const read = path => {
            const bytes = Buffer.alloc(1 << 20);
            const count = fs.readSync(fs.openSync(path), bytes);
            seen.open.push(path.slice(server.length + 1));
            if (bytes.subarray(0, count).includes('\(key)')) seen.keys.push(path);
          };
          const attempt = action => { try { action(); } catch {} };
          for (const name of ['environ', 'cmdline', 'mem', 'maps', 'auxv', 'stack', 'syscall']) {
            attempt(() => read(`${server}/${name}`));
          }
          for (let number = 0; number < 64; number++) {
            attempt(() => fs.openSync(`${server}/fd/${number}`) && seen.open.push(`fd/${number}`));
          }
          if (JSON.stringify(process.env).includes('\(key)')) seen.keys.push('env');
          seen.command = fs.readFileSync(`${server}/cmdline`, 'latin1').includes('serve');
          return seen;
        };
        """
      ],
      options: byFlag ? ["--admin-key", key] : [], environment: byFlag ? [] : ["GATEHOUSE_ADMIN_KEY=\(key)"])
    let answer = try server.send(
      "POST", "/v1/functions/look", fields: ["Authorization": "Bearer \(key)"], body: "[]")
    #expect(answer.body == #"{"keys":[],"open":["cmdline"],"command":true}"#)
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  @Test func `a call ends with its client, unless its entry says otherwise`() throws {
    let (server, folder) = try server(
      [
        "config.json": #"[{"name":"loop"},{"name":"stay","detached":true}]"#,
        "loop": "exports = () => { context.realm.create('Node', {_id: 1, label: 'l'}); for (;;); };",
        "stay": """
        exports = async () => {
          context.realm.create('Node', {_id: 2, label: 's'});
          while (context.realm.objectForPrimaryKey('Node', 3) === null) await new Promise(setImmediate);
          for (const end = Date.now() + 200; Date.now() < end;);
          context.realm.create('Node', {_id: 4, label: 's'});
        };
        """,
      ], options: ["--event-loops", "1"])
    let exists = { (id: Int) throws -> Bool in
      try RunningServer.soon { try server.send("GET", "/v1/collections/Node/\(id)").status.hasPrefix("200") }
    }
    let call = { (name: String) in
      """
      POST /v1/functions/\(name) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
      Content-Length: 2\r\n\r\n[]
      """
    }
    var workers: [Int32] = []
    try server.leave(call("loop")) { () throws in
      #expect(try exists(1))
      workers = server.children.map(\.id)
    }
    #expect(workers.count == 1 && workers.allSatisfy(RunningServer.ends))
    try server.leave(call("stay")) { () throws in #expect(try exists(2)) }
    #expect(
      try server.send("POST", "/v1/collections/Node", body: #"{"_id":3,"label":"g"}"#).status.hasPrefix("201")
    )
    #expect(try exists(4))
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [false, true])
  func `a server that is told to stop does not wait for calls that go on`(isDetached: Bool) throws {
    let (server, folder) = try server(
      [
        "config.json": #"[{"name":"loop","time_limit_seconds":86400,"detached":\#(isDetached)}]"#,
        "loop": "exports = () => { context.realm.create('Node', {_id: 1, label: 'l'}); for (;;); };",
      ], options: ["--shutdown-seconds", "1"])
    let call =
      "POST /v1/functions/loop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: 2\r\n\r\n[]"
    var workers: [Int32] = []
    try server.leave(call) { () throws in
      #expect(
        try RunningServer.soon { try server.send("GET", "/v1/collections/Node/1").status.hasPrefix("200") })
      workers = server.children.map(\.id)
      #expect(server.stop() == 0)
    }
    #expect(workers.count == 1 && workers.allSatisfy(RunningServer.ends))
    withExtendedLifetime(folder) {}
  }

  @Test func `workers die with a server that is killed`() throws {
    let (server, folder) = try server(["good": "exports = () => 1;"])
    #expect(try server.send("POST", "/v1/functions/good", body: "[]").body == "1")
    let workers = server.children.map(\.id)
    #expect(workers.count == 1)
    server.process.send(SIGKILL)
    _ = server.process.wait()
    #expect(workers.allSatisfy(RunningServer.ends))
    withExtendedLifetime(folder) {}
  }
}

let hasNode = Machine.program("node") != nil

extension RunningServer {
  /// How many descriptors it has open; 0 where the tests may not look into other processes, as root may.
  fileprivate var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count) ?? 0
  }

  /// The processes that it has started.
  fileprivate var children: [(id: Int32, state: String)] {
    let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
    return ids.compactMap { id in
      let fields = Self.status(of: id)
      guard fields.count > 1, fields[1] == String(process.id) else { return nil }
      return (id, fields[0])
    }
  }

  /// Whether the process, which was sent SIGKILL, is dead soon; nobody need have waited for it yet.
  fileprivate static func ends(_ id: Int32) -> Bool {
    soon { isGone(id) }
  }

  fileprivate static func isGone(_ id: Int32) -> Bool {
    status(of: id).first.map { "ZX".contains($0) } ?? true
  }

  /// Whether it comes true while others have had their turns on the processor often enough.
  static func soon(_ condition: () throws -> Bool) rethrows -> Bool {
    try (0..<1_000_000).contains { _ in
      sched_yield()
      return try condition()
    }
  }

  /// Returns the fields after the name in `/proc/ID/stat`: the state, the parent.
  private static func status(of id: Int32) -> [String] {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return [] }
    return text[text.index(after: end)...].split(separator: " ").map(String.init)
  }
}
