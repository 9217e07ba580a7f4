import Dispatch
import GatehouseAPI
import Glibc

/// The web site that is a folder. Files and folders whose names begin with `.` are not shown, nor is what symbolic links
/// lead to outside of it.
final class HostedFolder: HostedFiles {
  /// Without links in it.
  private let root: String
  private let queue = DispatchQueue(label: "gatehouse.hosting", qos: .utility, attributes: .concurrent)

  /// Throws ``CommandError``, also where the folder has the data directory in it, or is in it: the database has no place on a web site.
  init(_ path: String, beside data: String) throws(CommandError) {
    guard let root = Self.resolved(path) else { throw .file(path: path, action: .read, code: errno) }
    guard opendir(root).map({ closedir($0) }) == 0 else {
      throw .file(path: path, action: .read, code: ENOTDIR)
    }
    let data = Self.resolved(data) ?? data
    let isBelow =
      "\(root)/".hasPrefix("\(data)/") && !"\(root)/".hasPrefix("\(DataFile.hosting.path(in: data))/")
    guard !isBelow, !"\(data)/".hasPrefix(root == "/" ? root : "\(root)/") else {
      throw .invalidValue(
        name: "hosting", text: path,
        expected:
          "a folder that neither has the data directory in it nor is in it, but for its own folder hosting")
    }
    self.root = root
  }

  func entry(at path: [String]) async -> HostedEntry? {
    let isShown = path.enumerated().allSatisfy { index, name in
      (!name.isEmpty || index == path.count - 1) && !name.hasPrefix(".") && !name.contains("/")
        && !name.utf8.contains(0)
    }
    guard isShown else { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.open(path)) }
    }
  }

  private func open(_ path: [String]) -> HostedEntry? {
    let names = path.last == "" ? path.dropLast() + ["index.html"] : path
    guard let place = Self.resolved("\(root)/\(names.joined(separator: "/"))"), place.hasPrefix("\(root)/")
    else { return nil }
    let descriptor = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    // The path may have got links since it was looked at: the file that is open has its own.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Self.resolved("/proc/self/fd/\(descriptor)")?.hasPrefix("\(root)/") == true
    else {
      close(descriptor)
      return status.st_mode & S_IFMT == S_IFDIR ? .folder : nil
    }
    return .file(OpenFile(named: names.last ?? "", descriptor, status, on: queue))
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

private final class OpenFile: HostedFile {
  let name: String
  let size: Int
  let state: String
  private let descriptor: Int32
  private let queue: DispatchQueue

  init(named name: String, _ descriptor: Int32, _ status: stat, on queue: DispatchQueue) {
    self.name = name
    self.descriptor = descriptor
    self.queue = queue
    size = Int(status.st_size)
    let numbers = [Int(status.st_ino), size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    state = numbers.map { String($0, radix: 36) }.joined(separator: "x")
  }

  deinit { close(descriptor) }

  func read(_ range: Range<Int>) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.bytes(range) }) }
    }
  }

  private func bytes(_ range: Range<Int>) throws -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= size, "bytes are read that the file had")
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let read = pread(
          descriptor, buffer.baseAddress.map { $0 + count }, range.count - count, range.lowerBound + count)
        if read < 0, errno == EINTR { continue }
        if read < 0 { failure = errno }
        guard read > 0 else { return }
        count += read
      }
    }
    if let failure { throw CommandError.file(path: name, action: .read, code: failure) }
    return bytes
  }
}
