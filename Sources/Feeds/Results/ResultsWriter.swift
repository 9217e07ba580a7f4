import GatehouseBSON
import GatehouseModel

/// Writes results, and what has become of them, as frames.
struct ResultsWriter {
  let state: ResultsState

  /// The frame with all of them.
  func initial(hasSections: Bool) -> EncodedEvents {
    encoded("initial", showing: Array(state.rows.indices)) { bytes in
      guard hasSections else {
        bytes += ",\"objects\":".utf8
        return append(state.rows.indices, to: &bytes)
      }
      bytes += ",\"sections\":[".utf8
      for (index, section) in state.sections.enumerated() {
        bytes += "\(index > 0 ? "," : ""){\"key\":".utf8
        append(section.key, to: &bytes)
        bytes += ",\"objects\":".utf8
        append(section.rows, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }

  func update(_ diff: CollectionDiff) -> EncodedEvents {
    encoded("update", showing: diff.insertions + diff.modificationsNew) { bytes in
      append("deletions", diff.deletions, to: &bytes)
      append("insertions", diff.insertions, to: &bytes)
      append("modifications", diff.modifications, to: &bytes)
      append("modificationsNew", diff.modificationsNew, to: &bytes)
      bytes += ",\"inserted\":".utf8
      append(diff.insertions, to: &bytes)
      bytes += ",\"modified\":".utf8
      append(diff.modificationsNew, to: &bytes)
    }
  }

  func update(_ diff: SectionsDiff) -> EncodedEvents {
    let sections = state.sections
    let inserted = diff.insertions.map { sections[$0.section].rows[$0.row] }
    let modified = diff.modifications.map { sections[$0.section].rows[$0.row] }
    return encoded("update", showing: inserted + modified) { bytes in
      append("sectionsToDelete", diff.sectionsToDelete, to: &bytes)
      append("sectionsToInsert", diff.sectionsToInsert, to: &bytes)
      append("deletions", diff.deletions, to: &bytes)
      append("insertions", diff.insertions, to: &bytes)
      append("modifications", diff.modifications, to: &bytes)
      bytes += ",\"keys\":[".utf8
      for (index, section) in diff.sectionsToInsert.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(sections[section].key, to: &bytes)
      }
      bytes += "],\"inserted\":".utf8
      append(inserted, to: &bytes)
      bytes += ",\"modified\":".utf8
      append(modified, to: &bytes)
    }
  }

  private func encoded(
    _ event: String, showing shown: [Int], _ content: (inout [UInt8]) -> Void
  ) -> EncodedEvents {
    var bytes = Array(
      "id: \(state.version)\nevent: \(event)\ndata: {\"version\":\(state.version)".utf8)
    content(&bytes)
    bytes += "}\n\n".utf8
    return EncodedEvents(bytes, showing: state.observations(of: shown))
  }

  private func append(_ rows: some Sequence<Int>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (index, row) in rows.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += state.rows[row].json
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private func append(_ name: String, _ indices: [Int], to bytes: inout [UInt8]) {
    bytes += ",\"\(name)\":[\(indices.map(String.init).joined(separator: ","))]".utf8
  }

  private func append(_ name: String, _ paths: [SectionsDiff.Path], to bytes: inout [UInt8]) {
    let texts = paths.map { "[\($0.section),\($0.row)]" }
    bytes += ",\"\(name)\":[\(texts.joined(separator: ","))]".utf8
  }

  /// A section's key: mixed, so that it says its type where JSON has no such type.
  private func append(_ key: Mixed, to bytes: inout [UInt8]) {
    var json = PlainJSONWriter(appendingTo: bytes)
    bytes = []
    ValueEncoder().write(key, to: &json)
    bytes = json.finish()
  }
}
