import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The objects of a result as subscribers have them.
final class ResultsState: Sendable {
  struct Row: Sendable {
    let id: Mixed
    /// The key of its section; null where there are none.
    let section: Mixed
    let json: [UInt8]
    /// The objects that ``json`` shows, where somebody has to know.
    var reads: [Observation.Read] = []
  }

  /// Rows of one section, in the order in which sections begin.
  struct Section {
    let key: Mixed
    /// The key as a read shows it.
    let json: [UInt8]
    var rows: [Int]
  }

  let rows: [Row]
  let version: Int64
  private let schema: Schema
  /// The keys of sections as a read shows them.
  private let sectionKeys: [Mixed: [UInt8]]

  init(_ rows: [Row], sectionKeys: [Mixed: [UInt8]] = [:], version: Int64, _ schema: Schema) {
    self.rows = rows
    self.sectionKeys = sectionKeys
    self.version = version
    self.schema = schema
  }

  /// Returns the objects that are shown otherwise than before, or were not shown before.
  func changedIDs(since old: ResultsState) -> Set<Mixed> {
    let before = Dictionary(old.rows.map { ($0.id, $0.json) }) { first, _ in first }
    return Set(rows.filter { before[$0.id] != $0.json }.map(\.id))
  }

  /// Returns the objects that some of the rows show.
  func observations(of shown: some Sequence<Int>) -> [Observation] {
    let reads = shown.flatMap { rows[$0].reads }
    return reads.isEmpty ? [] : [Observation(version: version, schema: schema, reads: reads)]
  }

  /// The rows by sections; the keys differ.
  var sections: [Section] {
    var sections: [Section] = []
    var places: [Mixed: Int] = [:]
    for (index, row) in rows.enumerated() {
      if let place = places[row.section] {
        sections[place].rows.append(index)
      } else {
        places[row.section] = sections.count
        let json = sectionKeys[row.section] ?? Array("null".utf8)
        sections.append(Section(key: row.section, json: json, rows: [index]))
      }
    }
    return sections
  }
}
