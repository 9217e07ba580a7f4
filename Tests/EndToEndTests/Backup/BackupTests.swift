import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// `gatehouse backup` and `gatehouse restore`: a service comes back with all that made it.
struct BackupTests {
  private static let providers = """
    {"local-userpass": {"name": "local-userpass", "type": "local-userpass", "config": {"autoConfirm": true}}}
    """
  private static let roles = """
    {"roles": [{"name": "reader", "rules": [{"class": "*", "read": true}]}], "users": "reader"}
    """
  private static let app = "/api/client/v2.0/app/gatehouse"
  private static let ann = #"{"username":"ann@example.org","password":"secret1","email":"ann@example.org"}"#

  /// A store of nodes with files of every kind beside it.
  private func service() throws -> Folder {
    let folder = try Sample.nodeStore()
    let text = try folder.shell(
      """
      cd data && mkdir -p auth/secrets functions/lib values environments audit && chmod 700 auth
      umask 077
      echo '\(Self.providers)' > auth/providers.json
      printf 'a secret of more than thirty-two bytes' > auth/secrets/signing
      echo 'exports = () => 1;' > functions/one.js && printf '#!/bin/sh\\n' > functions/lib/tool
      chmod 755 functions functions/lib/tool && ln -s lib/tool functions/tool && ln -s /etc functions/away
      echo '{"name": "v", "value": 1}' > values/v.json && echo '{"values": {}}' > environments/test.json
      echo '{"limits": {"fields": 99}}' > gatehouse.json && echo '[]' > schema.json
      echo x > audit/.draft && echo mine > notes.txt && echo 'ä' > 'values/ü b.json'
      """)
    try #require(text == "")
    return folder
  }

  private func login(_ server: RunningServer) throws -> RunningServer.Answer {
    try server.send("POST", "\(Self.app)/auth/providers/local-userpass/login", body: Self.ann)
  }

  private func member(_ name: String, of answer: RunningServer.Answer) throws -> String {
    guard case .string(let text) = try answer.json[name] else { throw SystemError(call: name, code: 0) }
    return text
  }

  private func state(of directory: String, in folder: Folder) throws -> String {
    try folder.shell(
      "cd '\(directory)' && find . ! -name 'gatehouse.db*' ! -name lock -printf '%P %m %l\\n' | sort")
  }

  @Test func `a restored service starts, and old logins, tokens and keys work`() throws {
    let folder = try service()
    let key = try Gatehouse.run(["key", "create", "--role", "admin", "--data", folder.data], in: folder)
    let secret = try #require(key.lines.last?.split(separator: " ").last.map(String.init), "\(key.output)")
    let bearer = ["Authorization": "Bearer \(secret)"]
    let server = try RunningServer(folder)
    let registered = try server.send(
      "POST", "\(Self.app)/auth/providers/local-userpass/register",
      body: #"{"email":"ann@example.org","password":"secret1"}"#)
    #expect(registered.status == "201 Created", "\(registered.body)")
    let token = try member("access_token", of: try login(server))
    let created = try server.send(
      "POST", "/v1/collections/Node", fields: bearer, body: #"{"_id":1,"label":"kept"}"#)
    #expect(created.status == "201 Created", "\(created.body)")

    let copy = folder.file("copy")
    let backup = try Gatehouse.run(["backup", copy, "--data", folder.data], in: folder)
    #expect(backup.status == 0, "\(backup.error)")
    #expect(server.stop() == 0)
    let lost = folder.file("lost")
    #expect(rename(folder.data, lost) == 0)
    let restored = try Gatehouse.run(["restore", copy, folder.data], in: folder)
    #expect(restored.status == 0, "\(restored.error)")
    #expect(restored.error.contains(/is as of .*Z, version 2\n/))

    let again = try RunningServer(folder)
    #expect(try login(again).status == "200 OK")
    let profile = try again.send(
      "GET", "/api/client/v2.0/auth/profile", fields: ["Authorization": "Bearer \(token)"])
    #expect(profile.status == "200 OK", "\(profile.body)")
    let read = try again.send("GET", "/v1/collections/Node/1", fields: bearer)
    #expect(read.body.contains(#""label":"kept""#), "\(read.body)")
    #expect(again.stop() == 0)

    // All but what is no part of the service, in the place and with the modes that it had.
    let expected = try state(of: lost, in: folder).split(separator: "\n").filter {
      !$0.hasPrefix("notes.txt") && !$0.hasPrefix("audit/.draft") && !$0.hasPrefix("reserve")
    }
    let actual = try state(of: folder.data, in: folder).split(separator: "\n").filter {
      !$0.hasPrefix("reserve")
    }
    #expect(actual == expected)
    let files = "data/gatehouse.db data/auth/secrets/signing data/functions/lib/tool"
    let modes = try folder.shell("stat -c %a \(files)")
    #expect(modes == "600\n600\n755\n")
  }

  @Test func `a backup is a data directory as well`() throws {
    let folder = try service()
    let copy = folder.file("copy")
    #expect(try Gatehouse.run(["backup", copy, "--data", folder.data], in: folder).status == 0)
    #expect(try Gatehouse.run(["check", "--data", copy], in: folder).error == "no faults\n")
    let manifest = try JSON(try folder.contents("\(copy)/backup.json"))
    guard case .array(let files) = manifest["files"] else { throw SystemError(call: "files", code: 0) }
    let sums = files.compactMap { file -> String? in
      guard case .string(let digest) = file["sha256"], case .string(let path) = file["path"] else {
        return nil
      }
      return "\(digest)  \(path)"
    }
    try #require(sums.count == 10)
    _ = try folder.write(sums.joined(separator: "\n") + "\n", to: "sums")
    #expect(try folder.shell("cd copy && sha256sum --quiet -c ../sums") == "")
  }

  @Test(arguments: [
    ("echo x >> copy/values/v.json", "copy/values/v.json is not as it was when the backup was made"),
    (
      "printf x | dd of=copy/gatehouse.db seek=5000 bs=1 conv=notrunc status=none",
      "copy/gatehouse.db is not as it was when the backup was made"
    ),
    ("rm copy/auth/secrets/signing", "cannot read copy/auth/secrets/signing: No such file or directory"),
    ("rm copy/backup.json", "copy holds no backup"),
    (
      #"sed -i 's/"format":1/"format":2/' copy/backup.json"#,
      "copy/backup.json was made by a later version of Gatehouse"
    ),
    (
      #"sed -i 's|"values/v.json"|"../v.json"|' copy/backup.json"#,
      "copy/backup.json is no manifest of a backup"
    ),
    (
      #"sed -i 's|"values/v.json"|"values/../../v.json"|' copy/backup.json"#,
      "copy/backup.json is no manifest of a backup"
    ),
    ("echo '{}' > copy/backup.json", "copy/backup.json is no manifest of a backup"),
  ])
  func `a backup that is not whole is not restored, and leaves nothing`(
    change: String, message: String
  ) throws {
    let folder = try service()
    #expect(try Gatehouse.run(["backup", "copy", "--data", folder.data], in: folder).status == 0)
    #expect(try folder.shell(change) == "")
    let restored = try Gatehouse.run(["restore", "copy", "new"], in: folder)
    #expect((restored.status, restored.error) == (1, "gatehouse: \(message)\n"))
    #expect(["", "lock\n"].contains(try folder.shell("ls new 2>/dev/null || true")))
  }

  @Test func `nothing is restored over what is there, nor beside a server`() throws {
    let folder = try service()
    #expect(try Gatehouse.run(["backup", "copy", "--data", folder.data], in: folder).status == 0)
    let over = try Gatehouse.run(["restore", "copy", "data"], in: folder)
    let sentence =
      "data is not empty: a backup is restored into a new directory, or an empty one. Move what is there away first."
    #expect((over.status, over.error) == (1, "gatehouse: \(sentence)\n"))
    #expect(try folder.contents("\(folder.data)/notes.txt") == "mine\n")
    #expect(try folder.shell("mkdir -p new/lost+found && chmod 750 new") == "")
    #expect(try Gatehouse.run(["restore", "copy", "new"], in: folder).status == 0)
    #expect(try Gatehouse.run(["check", "--data", "new"], in: folder).error == "no faults\n")
    let server = try RunningServer(folder)
    let beside = try Gatehouse.run(["restore", "copy", "data"], in: folder)
    #expect(beside.status == 1 && beside.error.contains("data is in use by process"), "\(beside.error)")
    #expect(server.stop() == 0)
  }

  @Test func `a backup is not made inside what it copies`() throws {
    let folder = try service()
    let inside = try Gatehouse.run(["backup", "data/functions/copy", "--data", folder.data], in: folder)
    let sentence = "DIR must be a directory that is not itself backed up, not 'data/functions/copy'"
    #expect((inside.status, inside.error) == (2, "gatehouse: \(sentence)\n"))
    let elsewhere = try Gatehouse.run(
      ["backup", "copy", "--data", folder.data, "--functions-directory", "/srv/functions"], in: folder)
    let warning =
      "gatehouse: the functions in /srv/functions are not in the backup: not in the data directory\n"
    #expect(elsewhere.status == 0 && elsewhere.error.hasPrefix(warning), "\(elsewhere.error)")
  }

  /// Moments that depend on nothing but time, so that every step has its turn.
  @Test(arguments: [3, 6, 9, 12, 16, 20, 25, 30, 40, 60] as [UInt32])
  func `a backup and a restore that are killed at any moment are done again`(milliseconds: UInt32) throws {
    let folder = try service()
    let nodes = try folder.write(Sample.nodes(0..<3000), to: "nodes.ndjson")
    #expect(try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder).status == 0)
    try kill(["backup", "copy", "--data", folder.data], after: milliseconds, in: folder)
    if access(folder.file("copy/gatehouse.db"), F_OK) != 0 {
      // Nothing that could be taken for a backup.
      #expect(try Gatehouse.run(["restore", "copy", "early"], in: folder).status == 1)
      #expect(try Gatehouse.run(["backup", "copy", "--data", folder.data], in: folder).status == 0)
    }
    try kill(["restore", "copy", "new"], after: milliseconds, in: folder)
    let isUnfinished = access(folder.file("new/restoring"), F_OK) == 0
    if isUnfinished, access(folder.file("new/gatehouse.db"), F_OK) != 0 {
      let serve = try Gatehouse.run(["export", "Node", "--data", "new"], in: folder)
      #expect(
        (serve.status, serve.error) == (1, "gatehouse: A restore into new was not finished: run it again.\n"))
    }
    if access(folder.file("new/gatehouse.db"), F_OK) != 0 {
      let restored = try Gatehouse.run(["restore", "copy", "new"], in: folder)
      #expect(restored.status == 0, "\(restored.error)")
    }
    #expect(try Gatehouse.run(["check", "--data", "new"], in: folder).error == "no faults\n")
    #expect(try Gatehouse.run(["export", "Node", "--data", "new"], in: folder).lines.count == 3000)
    let expected = try state(of: folder.data, in: folder).split(separator: "\n").filter {
      !$0.hasPrefix("notes.txt") && !$0.hasPrefix("audit/.draft") && !$0.hasPrefix("reserve")
    }
    #expect(try state(of: folder.file("new"), in: folder).split(separator: "\n") == expected)
  }

  private func kill(_ arguments: [String], after milliseconds: UInt32, in folder: Folder) throws {
    let process = try ChildProcess(
      Gatehouse.path, arguments, workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write("/dev/null"), .write("/dev/null")])
    // Not to wait for something, but to choose the moment.
    usleep(milliseconds * 1000)
    process.send(SIGKILL)
    process.wait()
  }
}
