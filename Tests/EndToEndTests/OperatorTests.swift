import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// TLS, service managers, logs, metrics and the end of a server, as operators meet them.
struct OperatorTests {
  private static let certificates = "\(Machine.root)/Tests/ServerTests/tls"

  private static func has(_ tool: String) -> Bool {
    let isThere = Machine.program(tool) != nil
    if !isThere { print("Skipping a test: no \(tool).") }
    return isThere
  }

  private static let hasCurl = has("curl") && has("openssl")

  private func copyCertificate(_ name: String, in folder: Folder) throws {
    let text = try folder.shell(
      "cp '\(Self.certificates)/\(name).pem' chain.pem && cp '\(Self.certificates)/\(name).key' key.pem")
    try #require(text.isEmpty, "\(text)")
  }

  /// Numbers of sched(7): what /proc says of each thread in the field `policy` (proc(5)).
  @Test(arguments: [([], "3"), (["--scheduling", "other"], "0")])
  func `every thread runs as the settings say`(options: [String], policy: String) throws {
    let server = try RunningServer(try Sample.nodeStore(), options: options)
    _ = try server.exchange(
      "GET /v1/collections/Node HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let threads = "/proc/\(server.process.id)/task"
    let policies = try FileManager.default.contentsOfDirectory(atPath: threads).map { thread in
      let text = try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
      // Field 41 of them; the second, a name in parentheses, may hold spaces.
      return text.split(separator: ")").last?.split(separator: " ").dropFirst(38).first.map(String.init)
    }
    #expect(policies.count > 2)
    #expect(Set(policies) == [policy])
  }

  @Test(.enabled(if: hasCurl))
  func `TLS and plain listeners stand side by side, and a new certificate comes without a break`() throws {
    let folder = try Sample.nodeStore()
    try copyCertificate("first", in: folder)
    let server = try RunningServer(
      folder,
      options: ["--tls-listen", "127.0.0.1:0", "--tls-certificate", "chain.pem", "--tls-key", "key.pem"])
    let secure = try #require(server.firstScreen.firstMatch(of: /, https:\/\/127\.0\.0\.1:(\d+)\n/)?.1)
    #expect(try server.send("GET", "/livez").body == "live\n")
    let curl = "curl -sk https://localhost:\(secure)"
    let said = "%{http_code} %{http_version} %{ssl_verify_result}"
    #expect(try folder.shell("\(curl)/livez -o /dev/null -w '\(said)' --tlsv1.3").hasPrefix("200 1.1"))
    #expect(try folder.shell("\(curl)/livez --tls-max 1.2 --http2") == "live\n")
    #expect(try folder.shell("\(curl)/livez --tls-max 1.1 -o /dev/null; echo $?") == "35\n")
    let client = "openssl s_client -connect 127.0.0.1:\(secure) -servername localhost"
    let subject = try folder.shell("echo | \(client) -alpn h2,http/1.1 | grep -E '^subject|ALPN'")
    #expect(subject == "subject=CN = first.test\nALPN protocol: http/1.1\n")

    // A connection that is open stays, whatever becomes of the certificate.
    let open = try folder.shell(
      """
      exec 2>/dev/null; mkfifo requests; \(client) -quiet <requests >answers & exec 3>requests
      printf 'GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3
      until grep -q live answers; do :; done
      echo broken > key.pem; kill -HUP \(server.process.id)
      until grep -q 'holds no private key' serve.log; do :; done
      echo | \(client) | grep ^subject
      cp '\(Self.certificates)/second.pem' chain.pem; cp '\(Self.certificates)/second.key' key.pem
      kill -HUP \(server.process.id)
      until echo | \(client) | grep -q 'CN = second'; do :; done
      printf 'GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3
      exec 3>&-; wait; grep -c live answers
      """)
    #expect(open == "subject=CN = first.test\n2\n")
    #expect(try folder.contents(folder.file("serve.log")).contains("The old certificate stays.\n"))
    #expect(server.stop() == 0)
  }

  @Test(arguments: [
    (["--tls-certificate", "none.pem", "--tls-key", "none.pem"], 1, "cannot read none.pem: No such file"),
    (["--tls-certificate", "text", "--tls-key", "text"], 1, "text holds no certificate chain in PEM."),
    (["--tls-certificate", "first.pem", "--tls-key", "text"], 1, "text holds no private key in PEM"),
    (
      ["--tls-certificate", "first.pem", "--tls-key", "second.key"], 1,
      "second.key is not the key of the certificate."
    ),
    (["--tls-certificate", "first.pem"], 2, "tls.key must be the path of a file"),
    ([], 1, "TLS needs a certificate and its key"),
  ])
  func `a certificate that is of no use is named at the start`(
    options: [String], status: Int32, text: String
  ) throws {
    let folder = try Sample.nodeStore()
    _ = try folder.write("text", to: "text")
    _ = try folder.shell("cp '\(Self.certificates)'/*.pem '\(Self.certificates)'/*.key .")
    let serve = ["serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0"]
    let outcome = try Gatehouse.run(serve + options, in: folder)
    #expect(outcome.status == status && outcome.error.contains(text), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
  }

  @Test(.enabled(if: hasCurl)) func `a Unix-domain socket serves every host, beside other listeners`() throws
  {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder, listen: "127.0.0.1:0,unix:\(folder.file("s"))")
    #expect(server.firstScreen.contains(", unix:\(folder.file("s"))\n"))
    let text = try folder.shell("curl -s --unix-socket s http://any.example/livez")
    #expect(text == "live\n")
    #expect(server.stop() == 0)
    #expect(access(folder.file("s"), F_OK) != 0)
  }

  /// sd_notify(3) and sd_listen_fds(3), as Python plays the service manager.
  @Test(.enabled(if: Geonames.python != nil, "python3 is not there"))
  func `a service manager hands over sockets and is told how things are`() throws {
    let folder = try Sample.nodeStore()
    let manager = try folder.write(
      """
      import os, signal, socket, sys
      program, data = sys.argv[1:]
      states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); states.bind("notify"); states.settimeout(20)
      listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()
      port = listener.getsockname()[1]
      pid = os.fork()
      if pid == 0:
        os.dup2(listener.fileno(), 3)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="http",
                          NOTIFY_SOCKET=os.path.abspath("notify"))
        out = os.open("out", os.O_WRONLY | os.O_CREAT); os.dup2(out, 1); os.dup2(out, 2)
        os.execv(program, [program, "serve", "--data", data])
      def ask():
        with socket.create_connection(("127.0.0.1", port)) as c:
          c.sendall(b"GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
          text = b""
          while piece := c.recv(4096): text += piece
          return text.split(b"\\r\\n")[0].decode()
      print(states.recv(1000).decode()); print(ask())
      os.kill(pid, signal.SIGHUP)
      print(states.recv(1000).decode().split("=")[0:2]); print(states.recv(1000).decode())
      os.kill(pid, signal.SIGTERM)
      print(states.recv(1000).decode()); print(os.waitstatus_to_exitcode(os.wait()[1]))
      """, to: "manager.py")
    let text = try folder.shell(
      "'\(Geonames.python ?? "")' '\(manager)' '\(Gatehouse.path)' '\(folder.data)'")
    #expect(
      text == """
        READY=1
        HTTP/1.1 200 OK
        ['RELOADING', '1\\nMONOTONIC_USEC']
        READY=1
        STOPPING=1
        0

        """)
  }

  @Test func `each request leaves a line that says nothing of its content, in a file that can be rotated`()
    throws
  {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(
      folder, options: ["--access-log", "access.log", "--server-timing", "--event-loops", "1"])
    let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
    let fields = [
      "Authorization": "Bearer SECRET", "X-Request-Id": "id-1", "Traceparent": "00-\(trace)-\(parent)-01",
    ]
    let made = try server.send(
      "POST", "/v1/collections/Node", fields: fields, body: #"{"_id":1,"label":"SECRET"}"#)
    #expect(made.status == "201 Created" && made.fields["server-timing"]?.hasPrefix("app;dur=") == true)
    _ = try server.send("GET", "/v1/collections/Node?filter=" + #"label == "SECRET""#.percentEncoded)
    _ = try server.send("GET", "/SECRET")
    try FileManager.default.moveItem(atPath: folder.file("access.log"), toPath: folder.file("access.log.1"))
    server.process.send(SIGHUP)
    while access(folder.file("access.log"), F_OK) != 0 { sched_yield() }
    _ = try server.send("GET", "/livez")
    #expect(server.stop() == 0)
    let lines =
      try Sample.lines(of: folder.file("access.log.1")) + Sample.lines(of: folder.file("access.log"))
    let entries = try lines.map { try JSON($0) }
    #expect(entries.map { $0["status"] } == [.int(201), .int(200), .int(404), .int(200)])
    #expect(entries.map { $0["method"] } == ["POST", "GET", "GET", "GET"].map { .string($0) })
    #expect(
      entries.map { $0["route"] }
        == ["/v1/collections/{class}", "/v1/collections/{class}", "", "/livez"].map { .string($0) })
    #expect(entries[0]["request"] == .string("id-1"))
    #expect(entries.map { $0["trace"] } == [.string(trace), nil, nil, nil])
    #expect(entries[0]["parent"] == .string(parent))
    #expect(!lines.joined().contains("SECRET"))
  }

  @Test func `metrics tell of requests, connections and commits, as prometheus-client reads them`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    for id in 1...3 {
      _ = try server.send("POST", "/v1/collections/Node", body: #"{"_id":\#(id),"label":"x"}"#)
    }
    // A commit is counted once its clients have been answered: whoever asks at once may come too early.
    var answer = try server.send("GET", "/metrics")
    var asked = 1
    while !answer.body.contains("\ngatehouse_commits_total 3\n"), asked < 1_000 {
      answer = try server.send("GET", "/metrics")
      asked += 1
    }
    #expect(answer.fields["content-type"]?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)
    for line in [
      #"gatehouse_requests_total{route="/v1/collections/{class}",method="POST",status="201"} 3"#,
      #"gatehouse_request_duration_seconds_count{route="/v1/collections/{class}"} 3"#,
      "gatehouse_connections_accepted_total \(3 + asked)", "gatehouse_commits_total 3",
      "gatehouse_commit_group_size_sum 3.0",
      "gatehouse_version 4.0", "gatehouse_received_bytes_total 63",
      "gatehouse_log_lost_bytes_total 0", "gatehouse_build_info{version=\"0.1.0\"} 1.0",
    ] {
      #expect(answer.body.contains("\n\(line)\n"), "\(line)\n\(answer.body)")
    }
    for name in [
      "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds", "cpu_seconds_total",
      "start_time_seconds",
    ] {
      let line = answer.body.split(separator: "\n").first { $0.hasPrefix("process_\(name) ") }
      #expect(line.flatMap { Double($0.split(separator: " ")[1]) } ?? 0 > 0, "\(name)")
    }
    let page = try String(
      contentsOfFile: "\(Machine.root)/Sources/App/App.docc/Operations.md", encoding: .utf8)
    let families = answer.body.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
      String($0.split(separator: " ")[2])
    }
    #expect(families.count > 20)
    for family in families { #expect(page.contains("`\(family)"), "\(family) is not on the page") }
    let file = try folder.write(answer.body, to: "metrics")
    let checked = try folder.shell("'\(Machine.root)/Scripts/oracle-metrics' '\(file)'")
    if checked.hasPrefix("needs prometheus-client") {
      print("Skipping the check of /metrics: \(checked)", terminator: "")
    } else {
      #expect(checked.hasPrefix("valid: "), "\(checked)")
    }
  }

  @Test func `a server that is told to stop is unready first, and still answers`() throws {
    let server = try RunningServer(try Sample.nodeStore(), options: ["--drain-seconds", "600"])
    #expect(try server.send("GET", "/readyz").status == "200 OK")
    server.process.send(SIGTERM)
    var answer = try server.send("GET", "/readyz")
    while answer.status == "200 OK" { answer = try server.send("GET", "/readyz") }
    #expect(answer.status == "503 Service Unavailable" && answer.body.contains(#""code":"stopping""#))
    #expect(try server.send("GET", "/livez").status == "200 OK")
    #expect(try server.send("GET", "/v1/collections/Node").body == "[]")
    // The second one does not wait.
    #expect(server.stop() == 128 + SIGTERM)
  }

  @Test(arguments: [
    (
      ["--limits-request-line-bytes", "60"], "GET /\(String(repeating: "a", count: 60)) HTTP/1.1\r\n\r\n",
      "414"
    ),
    (
      ["--limits-head-bytes", "100"], "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 100))\r\n\r\n",
      "431"
    ),
    (["--limits-fields", "2"], "GET / HTTP/1.1\r\nHost: localhost\r\nA: 1\r\nB: 2\r\n\r\n", "431"),
    (["--limits-head-seconds", "1"], "GET / HTTP/1.1\r\nHo", "408"),
    (
      ["--limits-content-bytes", "10", "--limits-stream-bytes", "10"],
      "POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n", "413"
    ),
    (
      ["--limits-progress-seconds", "1"],
      "POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n{", "408"
    ),
  ])
  func `a limit that is set is kept`(options: [String], request: String, status: String) throws {
    let server = try RunningServer(try Sample.nodeStore(), options: options)
    let answer = try server.exchange(request)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(answer.contains("\r\nconnection: close\r\n"))
  }

  @Test func `a connection has as many requests as are set`() throws {
    let server = try RunningServer(
      try Sample.nodeStore(),
      options: ["--limits-requests-per-connection", "2", "--limits-idle-seconds", "1"])
    let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let answer = try server.exchange(request + request + request)
    #expect(answer.matches(of: /HTTP\/1\.1 200 OK/).count == 2)
    #expect(answer.matches(of: /connection: close/).count == 1)
    // One that says nothing more is closed.
    #expect(try server.exchange(request).hasSuffix("live\n"))
  }
}
