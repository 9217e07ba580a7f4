import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Writes the entries of a map as a document, in bytewise order of the keys.
final class EntriesReader {
  private let elements: ElementColumn
  private let session: ReadSession
  private var statement: DeferredStatement

  init(_ layout: PropertyLayout, elements: ElementColumn, in session: ReadSession) {
    self.elements = elements
    self.session = session
    statement = DeferredStatement(
      ElementStatements.map(elements.expression(for: "c.value"), layout))
  }

  func write<Writer: ValueWriter>(owner: Int64, to writer: inout Writer) throws(StorageError) {
    writer.beginDocument()
    try writeMembers(owner: owner, to: &writer)
    writer.endDocument()
  }

  /// Writes the entries as members of the document that the writer is in.
  func writeMembers<Writer: ValueWriter>(owner: Int64, to writer: inout Writer) throws(StorageError) {
    try session.countPart()
    let statement = try statement.compiled(in: session)
    statement.bind(owner, at: 1)
    defer { statement.reset() }
    while try session.step(statement) {
      writer.key(at: 0, of: statement)
      try elements.write(statement, at: 1, to: &writer, in: session)
    }
  }
}
