import GatehouseBSON
import GatehouseCrypto

/// A file of the folder `migrations`.
struct MigrationFile {
  let path: String
  /// The file's name without its extension.
  let name: String
  let number: Int
  let bytes: [UInt8]

  /// The SHA-256 of the content and of the functions that it names, by which a file that changes after it was applied is found.
  var digest: String {
    var bytes = bytes
    for function in (try? migration())?.functions ?? [] {
      bytes += (try? InputFile.contents(of: "\(folder)/\(function)")) ?? []
    }
    return Hexadecimal.text(of: Digest.sha256.hash(bytes))
  }

  private var folder: Substring { path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex) }

  /// Whether a file of that name may be a function of the folder.
  static func isFunction(_ name: String) -> Bool {
    name.hasSuffix(".js") && !name.hasPrefix(".") && !name.contains("/") && name.utf8.count > 3
  }

  /// Throws ``MigrationError`` with the file and the line.
  func migration() throws -> Migration {
    let value = try JSONFile.value(of: bytes, at: path)
    do {
      return try Migration(notation: value)
    } catch let error as MigrationError {
      throw MigrationError.file(path, line: error.member.flatMap { JSONPlace.line(of: $0, in: bytes) }, error)
    } catch {
      throw MigrationError.file(path, line: nil, error)
    }
  }

  /// Does something with the file; errors name it.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw MigrationError.file(path, line: nil, error) }
  }
}

extension MigrationError {
  /// The member of the file that is at fault.
  fileprivate var member: [String]? {
    switch self {
    case .wrongMember(let path, _), .unknownMember(let path): path
    case .illegalName, .repeatedNumber, .unknownNumber, .missing, .changed, .late, .past, .droppedAndNamed,
      .unknownProperty, .notComputable, .unknownFunction, .file:
      nil
    }
  }
}
