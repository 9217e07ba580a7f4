import Dispatch
import GatehouseBSON
import GatehouseCluster
import GatehouseHTTP
import GatehouseOutbound
import GatehouseStorage
import Glibc
import Synchronization

/// The file of a node's store, on its way to another node.
enum StoreCopy {
  /// The bytes of a piece.
  private static let pieceSize = 256 << 10

  /// Returns the answer that has a copy of a store, as it is at this moment.
  static func response(of directory: String) async throws -> Response {
    let path = "\(directory)/.snapshot-\(ObjectID.generate())"
    try await offPool {
      try StoreSnapshot(directory: directory).copy(to: path) { _, _ in }
    }
    let file = try CopiedFile(path)
    var response = Response(
      status: .ok,
      body: .stream { writer in
        while let piece = try file.read(StoreCopy.pieceSize) { try await writer.write(piece) }
      })
    response.fields.append("content-type", "application/vnd.sqlite3")
    response.fields.append("content-length", String(file.size))
    response.fields.append("cache-control", "no-store")
    return response
  }

  /// Does something that waits for the disk on a thread of its own.
  private static func offPool(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// Puts a copy of another node's store into a data directory. Throws ``ClusterFailure/noCopy(node:)`` where it does not come.
  ///
  /// - Parameters:
  ///   - node: The URL of its resources: those of an app begin with its name.
  ///   - key: The administrator's; nil: nobody needs one.
  static func fetch(from node: String, key: String?, into directory: String) async throws {
    let replacement = try StoreReplacement(in: directory)
    let file = try WrittenFile(replacement.path)
    var request = ClientRequest("GET", "\(node)/cluster/snapshot")
    if let key { request.fields.append(HeaderField("authorization", "Bearer \(key)")) }
    request.timeout = .seconds(60)
    request.connectTimeout = .seconds(5)
    let answer: ClientResponse
    do throws(ClientError) {
      answer = try await HTTPClient(.all).stream(request) { file.write($0) }
    } catch {
      throw ClusterFailure.noCopy(node: node)
    }
    // Another key would be asked for by any node.
    if answer.status == 401 || answer.status == 403 {
      throw ClusterFailure.refused(url: node, status: answer.status)
    }
    guard answer.status == 200, answer.field("content-length") == String(file.size), !file.hasFailed else {
      throw ClusterFailure.noCopy(node: node)
    }
    try replacement.finish()
  }
}

/// A file that only this process has, and that is gone with the value.
private final class CopiedFile: Sendable {
  let size: Int
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    unlink(path)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      throw CommandError.file(path: path, action: .read, code: errno)
    }
    size = Int(status.st_size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The next bytes; nil at the end.
  func read(_ count: Int) throws -> [UInt8]? {
    let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Glibc.read(descriptor, buffer.baseAddress, count))
    }
    return piece.isEmpty ? nil : piece
  }
}

/// A file that pieces are appended to.
private final class WrittenFile: Sendable {
  private let descriptor: Int32
  private let state = Mutex((size: 0, hasFailed: false))

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandError.file(path: path, action: .write, code: errno) }
  }

  deinit { close(descriptor) }

  var size: Int { state.withLock(\.size) }
  var hasFailed: Bool { state.withLock(\.hasFailed) }

  func write(_ piece: [UInt8]) {
    do {
      try Output(descriptor: descriptor).write(piece)
      state.withLock { $0.size += piece.count }
    } catch {
      state.withLock { $0.hasFailed = true }
    }
  }
}
