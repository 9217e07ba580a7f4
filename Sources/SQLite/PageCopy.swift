/// Hands out the pages of a database, in the order that SQLite likes, while others may use it.
///
/// All come but the one with the byte 2^30, which SQLite never writes (<https://sqlite.org/fileformat2.html>, §1.4): it is zero.
///
/// A source that is inside a read transaction is read as it was when that began. The pages are those that a ``Backup`` would write
/// into a file: it writes into a file system of our own (<https://sqlite.org/vfs.html>), which keeps nothing.
public final class PageCopy {
  /// Takes a page: its number from 0, and its bytes.
  public typealias Taker = (_ number: Int, _ page: UnsafeRawBufferPointer) -> Void

  private let system: PageFileSystem
  private var destination: Connection?
  private var backup: Backup?

  public static let pageSize = 4096

  /// `settings` are statements for the connection that writes.
  public init(of source: Connection, settings: String, take: @escaping Taker) throws(DatabaseError) {
    system = PageFileSystem(take)
    let destination = try Connection(onFileSystem: system.name)
    self.destination = destination
    try destination.execute(settings)
    backup = try Backup(from: source, to: destination)
  }

  deinit {
    // In this order: each uses the next.
    backup = nil
    destination = nil
  }

  /// All pages of the database, known after the first step.
  public var pageCount: Int { backup?.pageCount ?? 0 }

  /// The pages that are still to be read.
  public var remaining: Int { backup?.remaining ?? 0 }

  /// Reads so many pages, which are handed out then or later; false if all have been.
  public func step(pages: Int32) throws(DatabaseError) -> Bool {
    try backup?.step(pages: pages) ?? false
  }
}
