import GatehouseStorage
import Glibc

/// A file that a new data directory begins with.
struct InitialFile {
  /// Relative to the data directory.
  let path: String
  let content: [UInt8]

  static var all: [InitialFile] {
    [
      InitialFile(path: DataFile.settings.name, content: PackageResources.gatehouse_json),
      InitialFile(path: DataFile.schema.name, content: PackageResources.schema_json),
      InitialFile(path: "auth/roles.json", content: PackageResources.roles_json),
      InitialFile(path: "auth/providers.json", content: PackageResources.providers_json),
      InitialFile(path: "functions/config.json", content: PackageResources.config_json),
      InitialFile(path: "functions/openNotes.js", content: PackageResources.openNotes_js),
      InitialFile(path: "functions/tagUrgent.js", content: PackageResources.tagUrgent_js),
      InitialFile(path: "triggers/tagUrgent.json", content: PackageResources.tagUrgent_json),
    ]
      + FileFormat.allCases.map { format in
        InitialFile(path: "formats/\(format.fileName)", content: format.schema)
      }
  }

  /// Writes the file, which must not be there, and makes the folders that lead to it.
  func write(to directory: String) throws(CommandError) {
    var folder = directory
    for name in [nil] + path.split(separator: "/").dropLast().map(Optional.some) {
      if let name { folder += "/\(name)" }
      guard mkdir(folder, PrivateFiles.directoryMode) == 0 || errno == EEXIST else {
        throw .file(path: folder, action: .write, code: errno)
      }
    }
    let file = "\(directory)/\(path)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw .file(path: file, action: .write, code: errno) }
    defer { close(descriptor) }
    try Output(descriptor: descriptor, path: file).write(content)
  }
}
