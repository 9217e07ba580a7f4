import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Writes what has become of a place as frames.
struct PropertyEventWriter {
  let history: HistoricalSnapshot
  let watch: PropertyWatch
  let shape: Shape

  /// Appends the frame with all that is there.
  func append(_ view: PropertyWatch.View, at position: EventPosition, to bytes: inout [UInt8]) {
    append("initial", position, to: &bytes) { json in write(view.value ?? .null, "value", &json) }
  }

  /// Appends the frame of a change.
  func append(
    _ change: PropertyChange, _ view: PropertyWatch.View, at position: EventPosition, to bytes: inout [UInt8]
  ) {
    switch change {
    case .insert:
      append("insert", position, to: &bytes) { json in write(view.value ?? .null, "value", &json) }
    case .value:
      append("update", position, to: &bytes) { json in write(view.value ?? .null, "value", &json) }
    case .delete:
      append("delete", position, to: &bytes) { json in
        json.key("reason")
        json.string("deleted")
      }
    case .elements(let diff):
      append("update", position, to: &bytes) { json in
        json.write(diff)
        write(view.value, at: diff.insertions, "inserted", &json)
        write(view.value, at: diff.modificationsNew, "modified", &json)
      }
    case .entries(let diff):
      append("update", position, to: &bytes) { json in write(diff, view.value, &json) }
    }
  }

  /// What somebody sees who is told of a change.
  func observations(of change: PropertyChange, _ view: PropertyWatch.View, _ version: Int64) -> [Observation]
  {
    guard let shown = shown(change, view.value) else { return [] }
    var visible = VisibleObjects(history: history)
    for object in view.objects {
      guard let state = history.object(object.identity) else { continue }
      let owner = object.link.flatMap { history.object($0.owner) }
      let link = owner.flatMap { owner in object.link.flatMap { history.link(of: owner, $0.property) } }
      visible.add(state, nil, by: link)
    }
    if let projection = shape.projection { addElements(shown, view, projection, to: &visible) }
    return visible.observations(in: version)
  }

  private func addElements(
    _ shown: [Mixed], _ view: PropertyWatch.View, _ projection: Projection, to visible: inout VisibleObjects
  ) {
    guard let elementType = watch.elementType else { return }
    let owner = view.property.flatMap { history.object($0.owner) }
    let link = owner.flatMap { owner in view.property.flatMap { history.link(of: owner, $0.index) } }
    for id in shown {
      guard let state = history.object(Identity(objectType: elementType, id: id)) else { continue }
      visible.add(state, projection, by: link)
    }
  }

  /// The values that the frame of a change has; nil: it shows nothing.
  private func shown(_ change: PropertyChange, _ value: Mixed?) -> [Mixed]? {
    switch (change, value) {
    case (.delete, _), (_, nil): nil
    case (.insert, let value?), (.value, let value?): value.elements(of: watch.path.type)
    case (.elements(let diff), .list(let values)?):
      (diff.insertions + diff.modificationsNew).map { values[$0] }
    case (.entries(let diff), .dictionary(let entries)?):
      diff.shown.map { entries[$0].value }
    case (.elements, _?), (.entries, _?): []
    }
  }

  private func append(
    _ event: String, _ position: EventPosition, to bytes: inout [UInt8],
    _ content: (inout PlainJSONWriter) -> Void
  ) {
    let path = watch.segments.joined(separator: "/")
    Frame.append(event, position, of: watch.root, path: path, to: &bytes, content)
  }

  private func write(_ value: Mixed, _ name: String, _ json: inout PlainJSONWriter) {
    json.key(name)
    ObjectEncoder(history: history).write(value, watch.path.type, shape.projection, to: &json)
  }

  private func write(_ list: Mixed?, at indices: [Int], _ name: String, _ json: inout PlainJSONWriter) {
    guard case .list(let values)? = list, let type = watch.path.type.elementType else { return }
    json.key(name)
    json.beginArray()
    for index in indices {
      ObjectEncoder(history: history).write(values[index], type, shape.projection, to: &json)
    }
    json.endArray()
  }

  private func write(_ diff: MapDiff, _ map: Mixed?, _ json: inout PlainJSONWriter) {
    for (name, keys) in [
      ("deletions", diff.deletions), ("insertions", diff.insertions), ("modifications", diff.modifications),
    ] {
      json.key(name)
      json.beginArray()
      for key in keys { json.string(key) }
      json.endArray()
    }
    guard case .dictionary(let entries)? = map, let type = watch.path.type.elementType else { return }
    json.key("values")
    json.beginDocument()
    for entry in diff.shown.map({ entries[$0] }) {
      json.key(entry.key)
      ObjectEncoder(history: history).write(entry.value, type, shape.projection, to: &json)
    }
    json.endDocument()
  }
}

extension PlainJSONWriter {
  /// Writes the indices of what has become of a collection.
  mutating func write(_ diff: CollectionDiff) {
    for (name, indices) in [
      ("deletions", diff.deletions), ("insertions", diff.insertions),
      ("modifications", diff.modifications), ("modificationsNew", diff.modificationsNew),
    ] {
      key(name)
      beginArray()
      for index in indices { int64(Int64(index)) }
      endArray()
    }
  }
}
