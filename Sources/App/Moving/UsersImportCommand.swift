import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseStorage

/// `gatehouse users import`.
struct UsersImportCommand: Command {
  static let synopsis = Synopsis(
    "users import", summary: "Adds the users of another server, with their identifiers.", operands: ["FILE"],
    options: [MovingOptions.dryRun("Read the file, and add nobody.")],
    settings: .some(["data"]),
    details: """
      FILE is what App Services' Admin API lists (…/users): an array of JSON, or a user a line; - is standard input. Who is there \
      already stays as they are. App Services gives nobody's password away: who has one asks for a mail (reset/send), or gets tokens \
      from the operator. Another server's may be in “password”, by scrypt or bcrypt. API keys have to be made anew.
      """)

  private let options: MovingOptions

  init(_ arguments: Arguments, settings: Settings) throws { options = try MovingOptions(arguments, settings) }

  func run() async throws {
    let (path, isDry, directory) = (options.path, options.isDry, options.directory)
    let users = try UsersImportCommand.users(in: try InputFile.contents(of: path), at: path)
    var added = 0
    if !isDry {
      added = try await Store.with(directory) { store in
        let known = try await Users(store, providers: .none)
        var count = 0
        for user in users where try await known.add(user) { count += 1 }
        return count
      }
    }
    let waiting = users.count { !$0.hasPassword }
    let keys = users.count { $0.hadKeys }
    Output.standard.write(
      """
      \(users.count) users read, \(added) added, \(isDry ? 0 : users.count - added) there already
      \(waiting) have no password until they set one; \(keys) had API keys, which have to be made anew

      """)
  }

  /// Throws ``CommandError`` where one of them is none.
  private static func users(in bytes: [UInt8], at path: String) throws -> [ImportedUser] {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first != UInt8(ascii: "[") else {
      return try users(in: try JSONFile.value(of: bytes, at: path), at: path)
    }
    var users: [ImportedUser] = []
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) {
      let place = "\(path), line \(index + 1)"
      let value = try JSONFile.value(of: Array(line), at: place)
      do throws(ConfigurationError) { users.append(try ImportedUser(value)) } catch {
        throw CommandError.configuration(path: place, error)
      }
    }
    return users
  }

  private static func users(in value: Value, at path: String) throws -> [ImportedUser] {
    guard case .array(let values) = value else { return [] }
    var users: [ImportedUser] = []
    for (index, value) in values.enumerated() {
      do throws(ConfigurationError) { users.append(try ImportedUser(value)) } catch {
        throw CommandError.of(ConfigurationError(at: [.index(index)] + error.path, error.text), in: path)
      }
    }
    return users
  }
}
