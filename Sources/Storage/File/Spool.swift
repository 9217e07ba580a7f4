import GatehouseSharing
import Glibc
import Synchronization

/// A temporary file that no directory shows: it is gone when the value, or the process, is.
public final class Spool: Sendable {
  private let directory: String
  private let file: Int32
  private let end = Mutex(0)
  private let reservation: SharedBudget.Reservation?

  init(directory: String, within reservation: SharedBudget.Reservation?) throws(StorageError) {
    self.reservation = reservation
    var path = Array("\(directory)/spool-XXXXXX".utf8CString)
    file = path.withUnsafeMutableBufferPointer { path in
      guard let name = path.baseAddress else { return -1 }
      let file = mkstemp(name)
      if file >= 0 { unlink(name) }
      return file
    }
    self.directory = directory
    guard file >= 0 else { throw .notWritable(directory) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(file)
  }

  /// The number of bytes in it.
  public var count: Int { end.withLock { $0 } }

  /// Adds bytes at the end. Throws ``StorageError/diskFull``, ``StorageError/notWritable(_:)``, or
  /// ``GatehouseSharing/BudgetError`` where that is more than the caller's share.
  public func append(_ bytes: [UInt8]) throws {
    try reservation?.grow(to: count + bytes.count)
    let failure = end.withLock { end in
      let failure = bytes.withUnsafeBytes { Spool.write($0, to: file, at: end) }
      if failure == nil { end += bytes.count }
      return failure
    }
    if let failure {
      throw failure == ENOSPC || failure == EDQUOT ? StorageError.diskFull : .notWritable(directory)
    }
  }

  /// At most `count` bytes from `offset` on; none at the end.
  public func bytes(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
    precondition(offset >= 0 && count >= 0, "what is read back is in the file, or behind its end")
    var got = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      repeat { got = pread(file, buffer.baseAddress, count, offset) } while got < 0 && errno == EINTR
      initialized = max(got, 0)
    }
    guard got >= 0 else { throw .corrupt("temporary file") }
    return bytes
  }

  /// Returns the system's number of the error for which not all could be written; nil: all is.
  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset + done)
      if count > 0 {
        done += count
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
