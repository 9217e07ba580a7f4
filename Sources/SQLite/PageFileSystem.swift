internal import CGatehouseSQLite
internal import Glibc
internal import Synchronization

/// A file system of SQLite's with one file, which is written and never read.
final class PageFileSystem {
  fileprivate let take: PageCopy.Taker
  /// The bytes up to the last one that was written.
  fileprivate var size: sqlite3_int64 = 0
  /// By which a connection is opened on it.
  let name: String
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let nameBytes: UnsafeMutablePointer<CChar>

  private static let count = Atomic(0)

  init(_ take: @escaping PageCopy.Taker) {
    self.take = take
    name = "gatehouse-pages-\(PageFileSystem.count.add(1, ordering: .relaxed).newValue)"
    guard let nameBytes = strdup(name), let standard = sqlite3_vfs_find(nil) else {
      preconditionFailure("no memory")
    }
    self.nameBytes = nameBytes
    system = .allocate(capacity: 1)
    // Clock and random numbers are those of the system.
    system.initialize(to: standard.pointee)
    system.pointee.iVersion = 1
    system.pointee.szOsFile = Int32(MemoryLayout<gatehouse_page_file>.size)
    system.pointee.pNext = nil
    system.pointee.zName = UnsafePointer(nameBytes)
    system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    system.pointee.xOpen = PageFileSystem.open
    system.pointee.xDelete = { _, _, _ in SQLITE_OK }
    system.pointee.xAccess = { _, _, _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    system.pointee.xFullPathname = { _, path, count, result in
      guard let path, let result, strlen(path) < Int(count) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return SQLITE_OK
    }
    sqlite3_vfs_register(system, 0)
  }

  deinit {
    sqlite3_vfs_unregister(system)
    system.deallocate()
    free(nameBytes)
  }

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, sqlite3_filename?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { system, _, file, flags, answer in
      guard let file, flags & SQLITE_OPEN_MAIN_DB != 0 else {
        file?.pointee.pMethods = nil
        return SQLITE_CANTOPEN
      }
      file.pointee.pMethods = UnsafePointer(methods)
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: gatehouse_page_file.self).pointee.owner =
        system?.pointee.pAppData
      answer?.pointee = flags
      return SQLITE_OK
    }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> PageFileSystem {
    guard let file,
      let owner = UnsafeMutableRawPointer(file).assumingMemoryBound(to: gatehouse_page_file.self).pointee
        .owner
    else { preconditionFailure("SQLite has lost a file") }
    return Unmanaged<PageFileSystem>.fromOpaque(owner).takeUnretainedValue()
  }

  private nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    // Made once, and never changed.
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    var table = sqlite3_io_methods()
    table.iVersion = 1
    table.xClose = { _ in SQLITE_OK }
    table.xRead = { file, bytes, count, offset in
      // Only what has never been written can be read: the head of a new file.
      guard let bytes, offset >= PageFileSystem.of(file).size else { return SQLITE_IOERR }
      memset(bytes, 0, Int(count))
      return gatehouse_sqlite_short_read()
    }
    table.xWrite = { file, bytes, count, offset in
      let system = PageFileSystem.of(file)
      guard let bytes, Int(count) == PageCopy.pageSize, offset % sqlite3_int64(PageCopy.pageSize) == 0 else {
        return SQLITE_IOERR
      }
      system.take(
        Int(offset) / PageCopy.pageSize, UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      system.size = max(system.size, offset + sqlite3_int64(count))
      return SQLITE_OK
    }
    table.xTruncate = { file, size in
      let system = PageFileSystem.of(file)
      system.size = min(system.size, size)
      return SQLITE_OK
    }
    table.xSync = { _, _ in SQLITE_OK }
    table.xFileSize = { file, size in
      size?.pointee = PageFileSystem.of(file).size
      return SQLITE_OK
    }
    table.xLock = { _, _ in SQLITE_OK }
    table.xUnlock = { _, _ in SQLITE_OK }
    table.xCheckReservedLock = { _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    table.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    table.xSectorSize = { _ in Int32(PageCopy.pageSize) }
    table.xDeviceCharacteristics = { _ in 0 }
    methods.initialize(to: table)
    return methods
  }()
}
