import GatehouseModel
import GatehouseSQLite

/// Takes an object that is about to be deleted out of everything that links to it: links become null, lists and sets
/// lose the element, maps keep the key with null; so does a list of mixed values with its place. Owns no table.
final class LinkRemover {
  private let statements: WriteStatements
  private let links: LinkIndex
  private let collections: CollectionStore
  private let capture: ChangeCapture
  private let lists: ListWriter

  init(_ parts: WriteParts, lists: ListWriter) {
    statements = parts.base.statements
    links = parts.links
    collections = parts.collections
    capture = parts.capture
    self.lists = lists
  }

  /// Removes all links to an object.
  func unlink(_ row: RowAddress) throws(StorageError) {
    for link in statements.catalog.incoming[row.table] {
      switch statements.catalog.tables[link.table].properties[link.property].property.type {
      case .map: try unlinkEntries(link, to: row.key)
      case .list: try unlinkElements(link, to: row.key)
      case .one, .set, .linkingObjects: try unlinkValues(link, to: row.key)
      }
    }
    try unlinkMixed(row)
  }

  private func unlinkValues(_ link: Catalog.IncomingLink, to key: Int64) throws(StorageError) {
    let owners = try links.owners(of: link, to: key)
    guard !owners.isEmpty else { return }
    for owner in owners { try capture.willChangeRoot(link.property, of: owner) }
    try links.unlink(key, from: link)
  }

  /// Makes null of entries: the keys stay, which is a modification of each (Realm: `testObserveKeyPathDeleted`).
  private func unlinkEntries(_ link: Catalog.IncomingLink, to key: Int64) throws(StorageError) {
    for entry in try links.entries(of: link, to: key) {
      if statements.isEmbedded(entry.owner) { try capture.willChangeRoot(link.property, of: entry.owner) }
      try capture.change(.key(entry.place), of: link.property, in: entry.owner) { () throws(StorageError) in
        try collections.clearEntry(entry.place, of: link.property, of: entry.owner)
      }
    }
  }

  private func unlinkElements(_ link: Catalog.IncomingLink, to key: Int64) throws(StorageError) {
    for element in try links.elements(of: link, to: key) {
      if statements.isEmbedded(element.owner) {
        try capture.willChangeRoot(link.property, of: element.owner)
      }
      try lists.removeElement(at: element.place, of: link.property, in: element.owner)
    }
  }

  private func unlinkMixed(_ row: RowAddress) throws(StorageError) {
    let owners = try links.mixed.owners(of: row)
    guard !owners.isEmpty else { return }
    for owner in owners {
      try capture.willChangeRoot(owner.property, of: owner.row, ignoringEqual: true)
      try links.mixed.unlink(row, from: owner.property, of: owner.row)
    }
    try links.mixed.remove(to: row)
  }
}
