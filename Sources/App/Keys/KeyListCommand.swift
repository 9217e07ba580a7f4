import GatehouseAPI
import GatehouseAccess
import GatehouseStorage

/// `gatehouse key list`.
struct KeyListCommand: Command {
  static let synopsis = Synopsis(
    "key list", summary: "Lists the API keys, without their secrets.", settings: .some(["data"]),
    details: "A line each: identifier, role, classes, name. Where a server runs, GET /v1/keys has them.")

  let directory: String

  init(_ arguments: Arguments, settings: Settings) throws {
    directory = settings.data
  }

  func run() async throws {
    let keys = try await Store.with(directory) { store in try AccessControl(store).keys }
    for key in keys {
      let classes = key.classes.isEmpty ? "*" : key.classes.joined(separator: ",")
      Output.standard.write("\(key.id)\t\(key.role)\t\(classes)\t\(key.name)\n")
    }
  }
}
