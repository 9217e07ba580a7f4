import GatehouseAPI
import GatehouseAccess
import GatehouseModel
import GatehouseStorage

/// `gatehouse key create`.
struct KeyCreateCommand: Command {
  static let synopsis = Synopsis(
    "key create", summary: "Makes an API key and shows it, once.",
    options: [
      Synopsis.Option(
        name: "--role", value: "ROLE", help: "admin, write, read, metrics, or a role of your own."),
      Synopsis.Option(
        name: "--class", value: "CLASS,…",
        help: "The only classes that it is for; left out: all of the role's."),
      Synopsis.Option(name: "--name", value: "TEXT", help: "What you call it."),
    ],
    settings: .some(["data"]),
    details: """
      Only a hash of it is stored. From the first key on, callers of the server need one. Where a server has the data \
      directory, POST /v1/keys makes keys.
      """)

  let directory: String
  let role: String
  let classes: [String]
  let name: String

  init(_ arguments: Arguments, settings: Settings) throws {
    directory = settings.data
    guard let role = arguments.options["--role"], !role.isEmpty else {
      throw CommandError.invalidValue(name: "--role", text: "", expected: "the name of a role")
    }
    self.role = role
    classes = arguments.options["--class"]?.split(separator: ",").map(String.init) ?? []
    name = arguments.options["--name"] ?? ""
  }

  func run() async throws {
    let text = try await Store.with(directory) { store in
      let access = try AccessControl(store)
      guard access.hasRole(role) else {
        throw CommandError.invalidValue(
          name: "--role", text: role,
          expected: "admin, write, read, metrics, or a role that PUT /v1/roles defined")
      }
      for name in classes where store.schema[name] == nil {
        guard try GroupsDirectory(directory).hasClass(name) else {
          throw CommandError.unknownClass(name, nearest: nil)
        }
      }
      return try await access.makeKey(name: name, role: role, classes: classes).text
    }
    Output.standard.write(text + "\n")
  }
}
