import Foundation
import GatehouseBSON
import Glibc
import Synchronization

/// The file with the users of an app and their tokens, which nobody but the system's user who runs the program may read.
///
/// Tokens are passwords for as long as they last: the directory has mode 0700, the file 0600, and it is replaced as a whole. A program
/// reads it once, when it first asks for the app: of two that run at the same time, the last to write has the last word.
final class UserFile: Sendable {
  private let directory: String
  private let writing = Mutex(())

  init(in directory: String) { self.directory = directory }

  private var path: String { "\(directory)/users.json" }

  /// Returns the users that were kept last; none where there is no file, or one of another making.
  func read() -> [(id: String, record: UserRecord)] {
    guard let data = FileManager.default.contents(atPath: path),
      let content = try? GatehouseBSON.Value(json: [UInt8](data)), let users = content.member("users")
    else { return [] }
    return users.elements.compactMap { user in
      guard let id = user.member("id")?.text else { return nil }
      return (id, UserRecord(kept: user))
    }
  }

  /// Writes the users, one writer after the other, so that the last has what is known last.
  func write(_ users: () -> [(id: String, record: UserRecord)]) {
    writing.withLock { _ in
      let content: GatehouseBSON.Document = [
        "users": .array(users().map { .document($0.record.kept(as: $0.id)) })
      ]
      if !replace(with: GatehouseBSON.Value.document(content).extendedJSON) {
        Logger.shared.log(.error, "The users cannot be kept in '\(path)'.")
      }
    }
  }

  private func replace(with bytes: [UInt8]) -> Bool {
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: attributes)
    let new = "\(path).\(getpid())"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    // A file that was left there may have another mode.
    var isWritten = fchmod(descriptor, 0o600) == 0
    var rest = bytes[...]
    while isWritten, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      isWritten = count > 0
      rest = rest.dropFirst(max(count, 0))
    }
    isWritten = fsync(descriptor) == 0 && isWritten
    close(descriptor)
    return isWritten && rename(new, path) == 0
  }
}

extension UserRecord {
  /// The facts as the file has them.
  fileprivate init(kept user: GatehouseBSON.Value) {
    accessToken = user.member("access_token")?.text
    refreshToken = user.member("refresh_token")?.text
    deviceID = user.member("device_id")?.text ?? ""
    identities = (user.member("identities")?.elements ?? []).compactMap { identity in
      guard let type = identity.member("provider_type")?.text, let id = identity.member("id")?.text else {
        return nil
      }
      return UserIdentity(providerType: type, identifier: id)
    }
    profile = user.member("profile").flatMap { AnyBSON($0).documentValue } ?? [:]
    state = accessToken == nil || refreshToken == nil ? .loggedOut : .loggedIn
  }

  fileprivate func kept(as id: String) -> GatehouseBSON.Document {
    var document: GatehouseBSON.Document = ["id": .string(id), "device_id": .string(deviceID)]
    if let accessToken { document.append("access_token", .string(accessToken)) }
    if let refreshToken { document.append("refresh_token", .string(refreshToken)) }
    let accounts = identities.map { identity in
      GatehouseBSON.Value.document([
        "provider_type": .string(identity.providerType), "id": .string(identity.identifier),
      ])
    }
    document.append("identities", .array(accounts))
    document.append("profile", AnyBSON.document(profile).stored)
    return document
  }
}
