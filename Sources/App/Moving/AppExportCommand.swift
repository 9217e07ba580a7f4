import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// `gatehouse app export`.
struct AppExportCommand: Command {
  static let synopsis = Synopsis(
    "app export", summary: "Writes the data directory's app in the layout of App Services.",
    operands: ["DIR"],
    options: [
      Synopsis.Option(
        name: "--name", value: "NAME", help: "The name of the app and of its database; otherwise app.")
    ],
    settings: .some(["data"]),
    details: """
      Data sources, schemas of collections, relationships, rules, functions, values, environments, HTTPS endpoints, triggers and providers. Rights \
      that App Services has no words for are left out, and told; so are secrets. Nothing in DIR is overwritten.
      """)

  private let target: String
  private let name: String
  private let directory: String
  /// The name of the data source that a setting says; empty: none.
  private let sourceName: String

  init(_ arguments: Arguments, settings: Settings) throws {
    target = arguments.operands[0]
    name = arguments.options["--name"] ?? "app"
    (directory, sourceName) = (settings.data, settings.dataSource)
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
      throw CommandError.invalidValue(name: "--name", text: name, expected: "a name without slashes")
    }
  }

  /// The folders and files of a data directory that are those of an app.
  private static let parts = ["functions/", "values/", "environments/", "http_endpoints/", "triggers/"]
  private static let files: Set<String> = [
    "auth/providers.json", "auth/custom_user_data.json", DataFile.app.name,
  ]

  func run() async throws {
    let folder = try AppFolder(directory, only: AppExportCommand.parts + AppExportCommand.files)
    var files = folder.files.map { InitialFile(path: $0.key, content: $0.value) }
    if folder.files[DataFile.app.name] == nil {
      let config: Document = ["config_version": .int32(20_210_101), "name": .string(name)]
      files.append(InitialFile(path: DataFile.app.name, content: AppExportCommand.text(config)))
    }
    let source = try DataSourceExport(directory, given: sourceName)
    files += source.files
    let schema = try StoreSnapshot(directory: directory).schema
    for type in schema.objectTypes where !type.isEmbedded {
      let path = "\(source.folder)/\(name)/\(type.name)"
      guard !type.isSchemaless else {
        files.append(InitialFile(path: "\(path)/schema.json", content: AppExportCommand.text([:])))
        if let indexes = CollectionIndexes(of: type) {
          files.append(
            InitialFile(path: "\(path)/indexes.json", content: indexes.notation.plainJSON + [0x0A]))
        }
        continue
      }
      let collection = CollectionSchema(of: type, in: schema, source: source.name, database: name)
      files.append(
        InitialFile(path: "\(path)/schema.json", content: AppExportCommand.text(collection.document)))
      guard !collection.relationships.elements.isEmpty else { continue }
      files.append(
        InitialFile(
          path: "\(path)/relationships.json", content: AppExportCommand.text(collection.relationships)))
    }
    if let policy = try AuthFolder(directory).roles {
      let export = RuleExport(policy, in: schema, database: name)
      for (className, rules) in export.rules {
        let path =
          className == "*"
          ? "\(source.folder)/default_rule.json" : "\(source.folder)/\(name)/\(className)/rules.json"
        files.append(InitialFile(path: path, content: AppExportCommand.text(rules)))
      }
      for omission in export.omissions { Output.error.write("left out: \(omission)\n") }
    }
    for file in files.sorted(by: { $0.path < $1.path }) { try file.write(to: target) }
    Output.error.write("\(files.count) files written to \(target)\n")
  }

  private static func text(_ document: Document) -> [UInt8] { Value.document(document).plainJSON + [0x0A] }
}
