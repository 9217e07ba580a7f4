import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// Writes results, and how they have changed, as frames.
struct ResultsWriter {
  let state: ResultsState

  /// Returns the frame with all of them.
  func initial(hasSections: Bool) -> EncodedEvents {
    encoded(.initial, showing: Array(state.rows.indices)) { json in
      guard hasSections else { return write(state.rows.indices, as: "objects", to: &json) }
      json.key("sections")
      json.beginArray()
      for section in state.sections {
        json.beginDocument()
        json.key("key")
        json.value(json: section.json)
        write(section.rows, as: "objects", to: &json)
        json.endDocument()
      }
      json.endArray()
    }
  }

  /// Returns the frame of a change.
  func update(_ diff: CollectionDiff) -> EncodedEvents {
    encoded(.update, showing: diff.insertions + diff.modificationsNew) { json in
      json.write(diff)
      write(diff.insertions, as: "inserted", to: &json)
      write(diff.modificationsNew, as: "modified", to: &json)
    }
  }

  /// Returns the frame of a change of results in sections.
  func update(_ diff: SectionsDiff) -> EncodedEvents {
    let sections = state.sections
    let inserted = diff.insertions.map { sections[$0.section].rows[$0.row] }
    let modified = diff.modifications.map { sections[$0.section].rows[$0.row] }
    return encoded(.update, showing: inserted + modified) { json in
      json.write(diff)
      json.key("keys")
      json.beginArray()
      for section in diff.sectionsToInsert { json.value(json: sections[section].json) }
      json.endArray()
      write(inserted, as: "inserted", to: &json)
      write(modified, as: "modified", to: &json)
    }
  }

  private func encoded(
    _ event: EventName, showing shown: [Int], content: (inout PlainJSONWriter) -> Void
  ) -> EncodedEvents {
    var bytes: [UInt8] = []
    let stamp = EventStamp(stateAt: LogPosition(version: state.version))
    Frame.append(event, at: stamp, to: &bytes, content: content)
    return EncodedEvents(bytes, showing: state.observations(of: shown))
  }

  private func write(
    _ rows: some Sequence<Int>, as name: String, to json: inout PlainJSONWriter
  ) {
    json.key(name)
    json.beginArray()
    for row in rows { json.value(json: state.rows[row].json) }
    json.endArray()
  }
}

extension PlainJSONWriter {
  /// Writes the sections and rows of what has changed.
  fileprivate mutating func write(_ diff: SectionsDiff) {
    for (name, sections) in [
      ("sectionsToDelete", diff.sectionsToDelete), ("sectionsToInsert", diff.sectionsToInsert),
    ] {
      key(name)
      beginArray()
      for section in sections { int64(Int64(section)) }
      endArray()
    }
    for (name, paths) in [
      ("deletions", diff.deletions), ("insertions", diff.insertions), ("modifications", diff.modifications),
    ] {
      key(name)
      beginArray()
      for path in paths {
        beginArray()
        int64(Int64(path.section))
        int64(Int64(path.row))
        endArray()
      }
      endArray()
    }
  }
}
