import GatehouseAPI
import GatehouseModel

/// `gatehouse app group`.
struct AppGroupCommand: Command {
  static let synopsis = Synopsis(
    "app group", summary: "Puts classes of an app into a database of their own, a group.",
    operands: ["APP", "GROUP"],
    options: [
      Synopsis.Option(
        name: "--classes", value: "A,B", help: "The classes, all of them if the group is there."),
      Synopsis.Option(
        name: "--shards", value: "N",
        help: "Divides their objects among so many databases by their primary keys, for good."),
    ], settings: .some(["data", "apps.stores"]),
    details: """
      The classes must not be there yet: no objects are moved. A group has a file, a log of changes and a writer of its own; it is APP/GROUP \
      where other commands take --app. Where a server has the app open, PUT /v1/apps/APP/groups/GROUP does the same.
      """)

  private let settings: Settings
  private let app: String
  private let directory: GroupsDirectory
  private let name: GroupName
  private let classes: Set<String>
  private let shards: Int?

  init(_ arguments: Arguments, settings: Settings) throws {
    (self.settings, app) = (settings, arguments.operands[0])
    (directory, name) = try settings.group(arguments.operands)
    shards = try arguments.options["--shards"].map { text in
      guard let number = Int(text), ShardKey.counts.contains(number) else {
        throw CommandError.invalidValue(
          name: "--shards", text: text,
          expected: "a number from \(ShardKey.counts.lowerBound) to \(ShardKey.counts.upperBound)")
      }
      return number
    }
    let text = arguments.options["--classes"] ?? ""
    let names = text.split(separator: ",").map(String.init)
    classes = Set(names)
    guard (1...ClassGroup.mostClasses).contains(names.count), classes.count == names.count,
      names.allSatisfy({ Schema.isLegal(className: $0) })
    else {
      throw CommandError.invalidValue(
        name: "--classes", text: text, expected: "names of classes, with commas between them")
    }
  }

  func run() async throws {
    if let app = AppName(app) {
      try AppsDirectory(settings.data).groupStores.requireRoom(
        for: name, of: app, shards: shards, atMost: settings.groupStores)
    }
    try directory.put(name, classes: classes, shards: shards)
  }
}

/// `gatehouse app ungroup`.
struct AppUngroupCommand: Command {
  static let synopsis = Synopsis(
    "app ungroup", summary: "Removes a group of an app's classes.", operands: ["APP", "GROUP"],
    options: [
      Synopsis.Option(
        name: "--confirm", value: "GROUP", help: "The group's name once more, where it has objects.")
    ], settings: .some(["data"]),
    details: """
      Its objects, its schema and its audit trail go with it. Where a server has the app open, DELETE /v1/apps/APP/groups/GROUP does the \
      same.
      """)

  private let directory: GroupsDirectory
  private let name: GroupName
  private let isConfirmed: Bool

  init(_ arguments: Arguments, settings: Settings) throws {
    (directory, name) = try settings.group(arguments.operands)
    isConfirmed = arguments.options["--confirm"] == name.text
  }

  func run() async throws { try directory.remove(name, isConfirmed: isConfirmed) }
}

extension Settings {
  /// Returns the groups of the app, and the name of one, that a command's operands name. Throws ``CommandError``.
  fileprivate func group(_ operands: [String]) throws -> (GroupsDirectory, GroupName) {
    guard let app = AppName(operands[0]), AppsDirectory(data).contains(app) else {
      throw CommandError.invalidValue(
        name: "APP", text: operands[0], expected: "the name of an app of \(data)")
    }
    guard let name = GroupName(operands[1]) else {
      throw CommandError.invalidValue(name: "GROUP", text: operands[1], expected: GroupName.rule)
    }
    return (GroupsDirectory(AppsDirectory(data).directory(of: app)), name)
  }
}
