import Synchronization

@testable import GatehouseApp

/// A place in memory, which says what happens to it.
final class MemoryPlace: BackupPlace {
  private let contents = Mutex<[String: [UInt8]]>([:])
  private let observer = Mutex<(@Sendable (_ path: String) -> Void)?>(nil)

  /// Calls the observer before each write, with the path of what will be there.
  func observe(_ body: (@Sendable (_ path: String) -> Void)?) {
    observer.withLock { $0 = body }
  }

  func names(in folder: BackupFolder) -> Set<String> {
    contents.withLock {
      Set($0.keys.filter { $0.hasPrefix("\(folder)/") }.map { String($0.dropFirst("\(folder)/".count)) })
    }
  }

  func read(_ name: String, in folder: BackupFolder) throws -> [UInt8] {
    guard let bytes = contents.withLock({ $0[path(of: name, in: folder)] }) else {
      throw CommandError.backup(path(of: name, in: folder), .missing)
    }
    return bytes
  }

  func write(_ bytes: [UInt8], as name: String, in folder: BackupFolder) {
    let path = path(of: name, in: folder)
    observer.withLock { $0 }?(path)
    contents.withLock { $0[path] = bytes }
  }

  func remove(_ name: String, in folder: BackupFolder) {
    contents.withLock { $0[path(of: name, in: folder)] = nil }
  }

  func path(of name: String, in folder: BackupFolder) -> String { "\(folder)/\(name)" }
}
