import FoundationEssentials
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// The functions that callers with and without a credential may call.
struct FunctionAccessTests {
  /// The entries of a folder of functions, none of which can run: the program that would is not there.
  private static let entries = """
    [{"name":"true","can_evaluate":true},{"name":"always","can_evaluate":{"%%true":true}},{"name":"none"},\
    {"name":"empty","can_evaluate":{}},{"name":"id","can_evaluate":{"%%user.id":{"$exists":true}}},\
    {"name":"noID","can_evaluate":{"%%user.id":{"%exists":false}}},\
    {"name":"user","can_evaluate":{"%%user":{"$exists":true}}},\
    {"name":"argument","can_evaluate":{"%%args.0":"open"}},\
    {"name":"member","can_evaluate":{"%%user.id":{"%exists":true},"%%args.0":"open"}},\
    {"name":"private","private":true,"can_evaluate":true},{"name":"disabled","disabled":true,"can_evaluate":true}]
    """

  private static func functions(in folder: String) throws -> FunctionHost {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in [
      "true", "always", "none", "empty", "id", "noID", "user", "argument", "member", "private", "disabled",
    ] {
      try "exports = () => 1;".write(toFile: "\(folder)/\(name).js", atomically: false, encoding: .utf8)
    }
    try entries.write(toFile: "\(folder)/config.json", atomically: false, encoding: .utf8)
    var configuration = FunctionConfiguration()
    configuration.directory = folder
    configuration.node = "no-such-node"
    let functions = FunctionHost(configuration)
    functions.register("closure") { _ in .null }
    functions.register("openClosure", access: .anyone) { _ in .null }
    return functions
  }

  @Test func `callers find, and call, what a rule opens to them`() async throws {
    let folder = "\(Machine.scratch)/functions-\(FoundationEssentials.UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let fixture = try await Fixture(functions: try Self.functions(in: folder))
    let administrator = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
    let reader = try await fixture.gateway.context.access.makeKey(name: "", role: "read", classes: [])
    let roles = try await fixture.send(
      .put, "/v1/roles", ["authorization": "Bearer \(administrator.text)"], json: #"{"anyone":{}}"#)
    #expect(roles.status == 200, "\(roles.text)")
    let all = try fixture.gateway.functions.functions().map(\.name)
    let open = ["always", "argument", "noID", "openClosure", "true"]
    let callers: [(fields: [String: String], shown: [String], callable: [String])] = [
      (
        ["authorization": "Bearer \(administrator.text)"], all,
        all.filter { $0 != "private" && $0 != "disabled" }
      ),
      (
        ["authorization": "Bearer \(reader.text)"],
        ["always", "argument", "closure", "empty", "id", "member", "none", "openClosure", "true", "user"],
        ["always", "argument", "closure", "empty", "id", "member", "none", "openClosure", "true", "user"]
      ), ([:], open, open),
    ]
    for caller in callers {
      guard
        case .array(let list) = try Value(
          json: try await fixture.send(.get, "/v1/functions", caller.fields).content)
      else {
        Issue.record("no list")
        continue
      }
      let names = list.compactMap { function -> String? in
        guard case .document(let function) = function, case .string(let name)? = function["name"] else {
          return nil
        }
        return name
      }
      #expect(names == caller.shown)
      for name in all {
        let answer = try await fixture.send(.post, "/v1/functions/\(name)", caller.fields, json: #"["open"]"#)
        let expected: UInt16 =
          !caller.callable.contains(name) ? 403 : name.lowercased().hasSuffix("closure") ? 200 : 503
        #expect(answer.status == expected, "\(name) \(answer.text)")
        if expected == 403 { #expect(answer.code == "function_not_callable") }
      }
    }
    await fixture.remove()
  }
}
