import GatehouseSQLite

/// The pages of a store's file as a snapshot shows them, in steps.
///
/// The file that they make is a store. What is equal gives equal pages. Used by one thread at a time.
public final class SnapshotPages {
  public static let pageSize = PageCopy.pageSize

  /// The page that no store writes, from 0: it is zero, and never handed out (<https://sqlite.org/fileformat2.html>, §1.4).
  public static let unwritten = (1 << 30) / PageCopy.pageSize

  private let snapshot: StoreSnapshot
  private let copy: PageCopy

  /// `take` gets each page with its number from 0, in any order.
  public init(
    of snapshot: StoreSnapshot, take: @escaping (_ number: Int, _ page: UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) {
    self.snapshot = snapshot
    do { copy = try PageCopy(of: snapshot.connection, settings: FileStatements.passPages, take: take) } catch
    { throw StorageError(error) }
  }

  /// The pages of the whole file, known after the first step.
  public var count: Int { copy.pageCount }

  public var remaining: Int { copy.remaining }

  /// Reads about a mebibyte; false: all pages have been handed out.
  public func step() throws(StorageError) -> Bool {
    do { return try copy.step(pages: 256) } catch { throw StorageError(error) }
  }
}
