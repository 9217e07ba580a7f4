import GatehouseAccess
import GatehouseBSON
import Glibc

/// The folder `auth` of a data directory, in App Services' layout: `providers.json` says how users log in, and
/// `secrets/NAME` holds what that names.
struct AuthFolder {
  private let path: String

  init(_ dataDirectory: String) {
    path = "\(dataDirectory)/auth"
  }

  /// Reads the providers; nil if there is no such file. Throws ``CommandError`` where it is malformed.
  var providers: Providers? {
    get throws {
      let file = "\(path)/providers.json"
      guard access(file, F_OK) == 0 else { return nil }
      let notation = try JSONFile.value(at: file)
      do throws(ProvidersError) {
        return try Providers(notation: notation, secret: secret)
      } catch {
        guard case .unknownMember(let path) = error,
          let line = JSONPlace.line(of: path, in: try InputFile.contents(of: file))
        else { throw CommandError.providers(path: file, error) }
        throw CommandError.providers(path: "\(file), line \(line)", error)
      }
    }
  }

  private func secret(_ name: String) -> String? {
    guard !name.contains("/"), let bytes = try? InputFile.contents(of: "\(path)/secrets/\(name)") else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self).trimmingNewline
  }
}

extension String {
  /// The text without the line's end that editors add.
  fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
