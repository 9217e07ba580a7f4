import GatehouseAPI
import GatehouseBSON
import Glibc

/// The folder `data_sources` of a data directory, in App Services' layout: `NAME/config.json` says by which name clients ask for the
/// data. Whatever the name, it is the one store.
struct DataSourcesFolder {
  private let path: String

  init(_ dataDirectory: String) {
    path = DataFile.dataSources.path(in: dataDirectory)
  }

  /// Reads those that are databases, in the order of their folders' names. Throws ``CommandError`` where one is malformed.
  func databases() throws -> [DataSourceConfiguration] {
    var found: [DataSourceConfiguration] = []
    for file in files where access(file, F_OK) == 0 {
      let notation = try JSONFile.value(at: file)
      do throws(ConfigurationError) {
        let source = try DataSourceConfiguration(notation: notation)
        if source.isDatabase { found.append(source) }
      } catch {
        throw CommandError.of(error, in: file)
      }
    }
    return found
  }

  private var files: [String] {
    ((try? FolderContents.names(in: path)) ?? []).sorted().map { "\(path)/\($0)/config.json" }
  }

  /// Tells two states of the files apart, by what the file system says of them.
  var stamp: FileStamp { FileStamp(of: files, filesIn: path) }
}
