import FoundationEssentials
import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI
@testable import GatehouseFunctions

/// A gateway with the objects of a generated world, and a user who has all of its roles.
struct GeneratedStore {
  static let hasNode = ProgramPath.find("node", from: "/") != nil

  let fixture: Fixture
  /// The fields of the user's requests, and of the administrator's.
  let user: [String: String]
  let administrator: [String: String]
  private let host: FunctionHost
  private let folder = "\(Machine.scratch)/functions-\(FoundationEssentials.UUID())"

  init(_ world: GeneratedWorld, roles: String, roleCount: Int) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.function.write(toFile: "\(folder)/ask.js", atomically: false, encoding: .utf8)
    var configuration = FunctionConfiguration()
    configuration.directory = folder
    configuration.workers = 1
    host = FunctionHost(configuration)
    fixture = try await Fixture(
      world.schema.notation, functions: host, users: Providers(allowsAnonymous: true))
    try await Self.expect(fixture.send(.post, "/v1/transactions", json: world.operations))
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
    administrator = ["authorization": "Bearer \(key.text)"]
    try await Self.expect(fixture.send(.put, "/v1/roles", administrator, json: roles))
    let login = try await fixture.send(
      .post, "/api/client/v2.0/app/a/auth/providers/anon-user/login", json: "{}")
    guard case .string(let token)? = try login.document["access_token"],
      case .string(let id)? = try login.document["user_id"]
    else { throw Fixture.Unwatchable(answer: login.text) }
    user = ["authorization": "Bearer \(token)"]
    let names = (0..<roleCount).map { "\"role\($0)\"" }.joined(separator: ",")
    try await Self.expect(fixture.send(.put, "/v1/users/\(id)/roles", administrator, json: "[\(names)]"))
  }

  private static func expect(_ answer: Answer) throws {
    try #require(answer.status < 300, "\(answer.text)")
  }

  /// The function of the user's that asks `context.realm` with a filter and an order, and for one object.
  private static let function = """
    exports = (name, filter, order, key) => {
      try {
        let results = context.realm.objects(name);
        if (filter) results = results.filtered(filter);
        if (order) results = results.sorted(order);
        const shown = [results.toArray(), results.length, results.first ?? null, results.limited(2).toArray()];
        return EJSON.stringify([shown, context.realm.objectForPrimaryKey(name, key)]);
      } catch (error) {
        return [error.code, error.message];
      }
    };
    """

  func answer(_ question: GeneratedQuestion) async throws -> Answer {
    try await fixture.send(
      question.method, question.target, user.merging(question.fields) { $1 },
      question.content.map { Array($0.utf8) })
  }

  func remove() async {
    host.close()
    await fixture.remove()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
