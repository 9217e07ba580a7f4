import GatehouseModel
import GatehouseSQLite

/// The policy of append-only classes (``StoreOptions/appendOnlyClasses``), as a transaction keeps it. Any class can be
/// one; `Storage.md` describes them.
///
/// 1. Commit hooks add objects of them; nobody but a privileged transaction touches them otherwise.
/// 2. They are no part of a ``ChangeSet``, and their objects may be of any size.
/// 3. The change log leaves the values of a new object to its row, until the object changes.
/// 4. The newest object's values are in memory: a hook that continues a chain needs no read.
///
/// ``SchemaPlan`` keeps the policy where the schema changes.
final class AppendOnlyTables {
  private let statements: WriteStatements
  /// By the places of the classes in the catalog.
  private let isAppendOnly: [Bool]
  /// Whether no class is append-only.
  let isEmpty: Bool
  /// For each class, what the object with the largest key was made from, as long as that is all of it; nil: the file
  /// has to be asked.
  private var newest: [ObjectDraft?]

  init(_ statements: WriteStatements, classes: Set<String>) {
    self.statements = statements
    isAppendOnly = statements.catalog.tables.map { classes.contains($0.objectType.name) }
    isEmpty = !isAppendOnly.contains(true)
    newest = Array(repeating: nil, count: isAppendOnly.count)
  }

  func contains(_ table: Int) -> Bool { isAppendOnly[table] }

  /// Remembers what the object with the largest key of its class was made from.
  func didAddNewest(_ row: RowAddress, _ draft: ObjectDraft) {
    if contains(row.table) { newest[row.table] = draft }
  }

  /// Forgets the newest object of a class, of which an object is about to change.
  func willChange(_ row: RowAddress) {
    if contains(row.table) { newest[row.table] = nil }
  }

  /// Forgets the newest objects: the file has been rolled back.
  func restore() {
    if !isEmpty { newest = Array(repeating: nil, count: newest.count) }
  }

  /// Returns a property of the object of a class, append-only or not, that has the largest key; nil where there is none.
  func last(_ objectType: String, _ property: String) throws(StorageError) -> Mixed? {
    let table = try statements.catalog.index(of: objectType)
    let layout = statements.catalog.tables[table]
    guard let index = layout.objectType.index(of: property), let type = layout.properties[index].element
    else { throw .unknownClass(objectType) }
    if let assignment = newest[table]?.assignments.first(where: { $0.property == index }),
      case .value(let value) = assignment.value
    {
      return value
    }
    let statement = try statements.session.cached(
      RowStatements.newestValue(layout.properties[index], in: layout))
    defer { statement.reset() }
    return try statements.session.step(statement) ? statement.value(as: type, at: 0) : nil
  }
}
