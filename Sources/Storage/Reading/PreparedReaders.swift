import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import GatehouseSharing

/// The readers that a connection has prepared for one schema, each with its statements, so that a request that comes again
/// finds its own.
struct PreparedReaders {
  /// In bytes of SQL; a statement takes a few times as much.
  private static let pageBudget = 4 << 20
  /// The most readers of each kind. Projections come from requests, so that their number has no bound of its own.
  private static let capacity = 128

  private let session: ReadSession
  private var lookups = GenerationalCache<RowsShape, ObjectLookup>(budget: capacity)
  /// For each class, the lookup that shows all stored properties to whoever may see them.
  private var wholeLookups: [ObjectLookup?]
  private var objectReaders = GenerationalCache<RowsShape, ObjectReader>(budget: capacity)
  private var pages = GenerationalCache<PageShape, PageReader>(budget: pageBudget)
  /// For each class, the projection that shows all of it, as a plan had it last.
  private var wholes: [Projection]
  private var imageReader: ImageReader?

  init(_ session: ReadSession) {
    self.session = session
    wholes = session.catalog.tables.map { .all(of: $0.objectType) }
    wholeLookups = wholes.map { _ in nil }
  }

  /// The reader that finds objects of the class by their identifiers; without a projection it shows all stored properties.
  mutating func lookup(
    _ objectType: String, _ projection: Projection?, under visibility: Visibility? = nil
  ) throws(StorageError) -> ObjectLookup {
    let index = try session.catalog.topLevelIndex(of: objectType)
    let isWhole = projection == nil && visibility == nil
    if isWhole, let lookup = wholeLookups[index] { return lookup }
    let shape = RowsShape(projection ?? wholes[index], visibility)
    if let lookup = lookups[shape] { return lookup }
    let lookup = try ObjectLookup(
      session.catalog.tables[index], projection: shape.projection, in: session, restricted: shape.restricted)
    if isWhole { wholeLookups[index] = lookup } else { lookups.add(lookup, for: shape) }
    return lookup
  }

  /// The reader that writes the objects of a projection by their keys.
  mutating func objectReader(
    _ projection: Projection, under visibility: Visibility? = nil
  ) throws(StorageError) -> ObjectReader {
    let shape = RowsShape(projection, visibility)
    if let reader = objectReaders[shape] { return reader }
    let table = try session.catalog.table(projection.objectType)
    let reader = ObjectReader(table, projection: projection, in: session, restricted: shape.restricted)
    objectReaders.add(reader, for: shape)
    return reader
  }

  /// The reader that writes pages of that statement.
  mutating func pageReader(
    _ page: PageStatementCache.Page, _ content: PageReader.Content
  ) throws(StorageError) -> PageReader {
    let shape = PageShape(statement: page.number, content: content.identity)
    if let reader = pages[shape] { return reader }
    let text = page.sql.text
    let reader = try PageReader(text, content: content, in: session)
    pages.add(reader, for: shape, cost: text.utf8.count + 1024)
    return reader
  }

  /// The reader of objects in the form that the change log has them in.
  mutating func images() -> ImageReader {
    if let imageReader { return imageReader }
    let reader = ImageReader(session)
    imageReader = reader
    return reader
  }

  /// Returns whether the plan shows all of its class.
  mutating func showsAll(_ plan: Plan, of index: Int) -> Bool {
    guard plan.projection == wholes[index] else { return false }
    // Plans share theirs, so that the next one's is compared with itself.
    wholes[index] = plan.projection
    return true
  }
}

/// Statements that write rows depend on what is shown, and on the classes of which not all objects may be seen: whoever
/// runs one says before under which visibility (``PlanRunner``).
private struct RowsShape: Hashable {
  let projection: Projection
  let restricted: Set<String>

  init(_ projection: Projection, _ visibility: Visibility?) {
    self.projection = projection
    restricted = visibility?.restricted ?? []
  }
}

/// A prepared page depends on the statement, and on the reader that writes its columns.
private struct PageShape: Hashable {
  let statement: Int
  let content: ObjectIdentifier
}
