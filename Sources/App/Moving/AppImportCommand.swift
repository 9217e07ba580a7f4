import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Glibc

/// `gatehouse app import`.
struct AppImportCommand: Command {
  static let synopsis = Synopsis(
    "app import", summary: "Takes an app that App Services has exported into a data directory.",
    operands: ["SOURCE"],
    options: [
      MovingOptions.dryRun("Say what would become of each part, and change nothing."),
      Synopsis.Option(
        name: "--links", value: nil,
        help: """
          Make links of the relationships of collections: they lead to objects that are there, and are null when these are deleted. \
          Otherwise their values stay what they are, and nothing checks them.
          """),
    ],
    settings: .some(["data"]),
    details: """
      SOURCE is a folder (that of a Git repository will do), or a ZIP file, which unzip has to be there for. A line is printed \
      for each part: taken, changed (taken, with something to look at) or refused, with its file and line. Files that are in the data \
      directory already must be the same, which --dry-run looks at, too; classes are added to those of the store.
      """)

  private let options: MovingOptions
  private let makesLinks: Bool

  init(_ arguments: Arguments, settings: Settings) throws {
    options = try MovingOptions(arguments, settings)
    makesLinks = try arguments.isSet("--links")
  }

  func run() async throws {
    let (path, isDry, directory) = (options.path, options.isDry, options.directory)
    let archive = path.hasSuffix(".zip") ? try ZIPArchive(path) : nil
    let folder = try AppFolder(archive?.root ?? path)
    guard !folder.files.isEmpty else { throw CommandError.noApp(path: path) }
    let app = try AppImport(folder, makesLinks: makesLinks).result
    Output.standard.write(app.report.text)
    let files = app.files.sorted { $0.key < $1.key }.map { InitialFile(path: $0.key, content: $0.value) }
    var missing: [InitialFile] = []
    for file in files {
      let path = "\(directory)/\(file.path)"
      guard access(path, F_OK) == 0 else {
        missing.append(file)
        continue
      }
      guard try InputFile.contents(of: path) == file.content else {
        throw CommandError.differs(path: path)
      }
    }
    if isDry { return }
    // The store takes the classes first: where it refuses them, nothing has been written.
    if let bytes = app.files["schema.json"] {
      let added = try Schema(notation: try JSONFile.value(of: bytes, at: "schema.json"))
      try await Store.with(directory) { store in
        let others = store.schema.objectTypes.filter { added[$0.name] == nil }
        _ = try await store.apply(
          try Schema(validating: added.objectTypes + others), destructive: false)
      }
    }
    for file in missing { try file.write(to: directory) }
    Output.error.write("\(missing.count) files written to \(directory)\n")
  }
}
