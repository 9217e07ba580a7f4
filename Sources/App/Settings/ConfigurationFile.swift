import GatehouseBSON
import Glibc

/// The file that holds settings.
enum ConfigurationFile {
  /// Its content; nil where no file is named and the default one does not exist.
  static func document(named path: String?) throws -> Document? {
    if path == nil && access(Settings.defaultFile, F_OK) != 0 { return nil }
    let path = path ?? Settings.defaultFile
    guard case .document(let document) = try JSONFile.value(at: path) else {
      throw CommandError.invalidValue(name: path, text: "…", expected: "a JSON object")
    }
    return document
  }
}
