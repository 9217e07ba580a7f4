import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Writes the entries of a map as a document, in bytewise order of the keys.
final class EntriesReader {
  private let elements: ElementColumn
  private let session: ReadSession
  private var statement: DeferredStatement
  /// The keys whose entries are not shown.
  private let hidden: Set<ExactText>

  init(
    _ layout: PropertyLayout, elements: ElementColumn, in session: ReadSession,
    without hidden: Set<ExactText> = []
  ) {
    self.elements = elements
    self.session = session
    self.hidden = hidden
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
      if !hidden.isEmpty, hidden.contains(ExactText(statement.string(at: 0))) { continue }
      writer.key(at: 0, of: statement)
      try elements.write(statement, at: 1, to: &writer, in: session)
    }
  }
}
