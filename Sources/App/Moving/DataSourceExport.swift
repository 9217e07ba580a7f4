import GatehouseAPI
import GatehouseBSON

/// The data sources of an app as App Services has them: all names are those of the one store, and the classes are in the first.
struct DataSourceExport {
  /// The folder of the classes.
  let folder: String
  /// The name of the data source there.
  let name: String
  /// The files that say the names.
  private(set) var files: [InitialFile] = []

  /// `given` is the name that a setting says, or empty; otherwise the data directory's files say them. Throws ``CommandError``.
  init(_ directory: String, given: String) throws {
    let root = DataFile.dataSources.name
    let app = try AppFolder(directory, only: ["\(root)/"])
    var first: (folder: String, name: String)?
    for folder in app.folders(in: root) where given.isEmpty {
      let file = "\(root)/\(folder)/config.json"
      guard let notation = try app.json(file) else { continue }
      do throws(ConfigurationError) {
        let source = try DataSourceConfiguration(notation: notation)
        guard source.isDatabase else { continue }
        first = first ?? ("\(root)/\(folder)", source.name)
      } catch {
        throw CommandError.of(error, in: "\(directory)/\(file)")
      }
      files.append(InitialFile(path: file, content: app.files[file] ?? []))
    }
    guard let first else {
      name = given.isEmpty ? DataSourceNames.standard : given
      folder = "\(root)/\(DataSourceNames.standard)"
      let config: Document = [
        "name": .string(name), "type": .string(DataSourceConfiguration.usualType),
      ]
      files = [
        InitialFile(path: "\(folder)/config.json", content: Value.document(config).plainJSON + [0x0A])
      ]
      return
    }
    (folder, name) = first
  }
}
