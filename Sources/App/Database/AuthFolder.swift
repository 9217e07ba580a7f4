import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import Glibc

/// The folder `auth` of a data directory, in App Services' layout: `providers.json` says how users log in, and
/// `secrets/NAME` holds what that names. `roles.json`, of our own, says what whoever asks may do.
struct AuthFolder {
  private let path: String

  init(_ dataDirectory: String) {
    path = DataFile.auth.path(in: dataDirectory)
  }

  /// Reads the providers; nil if there is no such file. Throws ``CommandError`` where it is malformed.
  var providers: Providers? {
    get throws {
      let file = providersFile
      guard access(file, F_OK) == 0 else { return nil }
      let notation = try JSONFile.value(at: file).withoutSchemaReference
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

  /// Reads where users' custom data is; nil where there is no such file, or it says nowhere. Throws ``CommandError`` where it is
  /// malformed.
  var customData: CustomDataSource? {
    get throws {
      guard access(customDataFile, F_OK) == 0 else { return nil }
      let notation = try JSONFile.value(at: customDataFile)
      do throws(ConfigurationError) {
        return try CustomDataSource.source(notation: notation)
      } catch {
        throw CommandError.of(error, in: customDataFile)
      }
    }
  }

  /// Reads the roles; nil if there is no such file. Throws ``CommandError`` where it is malformed.
  var roles: Policy? {
    get throws {
      guard access(rolesFile, F_OK) == 0 else { return nil }
      let notation = try JSONFile.value(at: rolesFile).withoutSchemaReference
      do throws(PolicyError) {
        return try Policy(notation: notation)
      } catch {
        throw located(error)
      }
    }
  }

  /// Has access control use the roles of the file, where there is one. Throws ``CommandError`` where they are none.
  func applyRoles(to access: AccessControl) async throws {
    do {
      try await access.usePolicy(ofFile: try roles)
    } catch let error as PolicyError {
      throw located(error)
    }
  }

  private func located(_ error: PolicyError) -> CommandError {
    let names = error.pointer.split(separator: "/").map { token in
      String(token.replacing("~1", with: "/").replacing("~0", with: "~"))
    }
    let line = (try? InputFile.contents(of: rolesFile)).flatMap { JSONPlace.line(of: names, in: $0) }
    return .roles(path: line.map { "\(rolesFile), line \($0)" } ?? rolesFile, error)
  }

  private var rolesFile: String { "\(path)/roles.json" }
  private var customDataFile: String { "\(path)/custom_user_data.json" }
  private var providersFile: String { "\(path)/providers.json" }

  /// Tells two states of the files apart, secrets included, by what the file system says of them.
  var stamp: FileStamp { FileStamp(of: [providersFile, rolesFile, customDataFile], filesIn: secrets) }

  /// The folder of the templates of mails.
  var mailTemplates: String { "\(path)/mail" }

  /// The folder of the secrets.
  var secrets: String { "\(path)/secrets" }

  /// Returns the text of a secret; nil: there is none of that name.
  func secret(_ name: String) -> String? {
    guard !name.contains("/"), let bytes = try? InputFile.contents(of: "\(secrets)/\(name)") else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self).trimmingNewline
  }
}

extension Value {
  /// The document without the member by which a file names its JSON Schema, for editors.
  fileprivate var withoutSchemaReference: Value {
    guard case .document(var document) = self else { return self }
    document.elements.removeAll { $0.key == Settings.schemaMember }
    return .document(document)
  }
}

extension String {
  /// The text without the line's end that editors add.
  fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
