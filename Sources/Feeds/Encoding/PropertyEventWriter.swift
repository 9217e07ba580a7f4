import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Writes frames that tell how a property, or a part of one, has changed.
struct PropertyEventWriter {
  let history: HistoricalSnapshot
  let watch: PropertyWatch
  let shape: Shape

  /// Appends the frame with all that is there.
  func append(_ view: PropertyWatch.View, at stamp: EventStamp, to bytes: inout [UInt8]) {
    Frame.append(.initial, at: stamp, of: subject, to: &bytes) { json in writeValue(of: view, to: &json) }
  }

  /// Appends the frame of a change, behind which that is there.
  func append(
    _ change: PropertyEvent, showing view: PropertyWatch.View, at stamp: EventStamp, to bytes: inout [UInt8]
  ) {
    Frame.append(change.eventName, at: stamp, of: subject, to: &bytes) { json in
      switch change {
      case .insert, .value: writeValue(of: view, to: &json)
      case .delete:
        json.key("reason")
        json.string("deleted")
      case .elements(let diff):
        json.write(diff)
        writeElements(of: view, at: diff.insertions, as: "inserted", to: &json)
        writeElements(of: view, at: diff.modificationsNew, as: "modified", to: &json)
      case .entries(let diff): write(diff, of: view, to: &json)
      }
    }
  }

  private var subject: EventSubject {
    EventSubject(
      identity: watch.root,
      isMixed: history.layouts[watch.root.objectType]?.objectType.isSchemaless == true,
      path: watch.segments.joined(separator: "/"))
  }

  /// Returns the objects that the frame of a change shows.
  func observations(
    of change: PropertyEvent, showing view: PropertyWatch.View, in version: Int64
  ) -> [Observation] {
    guard let shown = shown(change, view) else { return [] }
    var visible = VisibleObjects(history: history)
    for object in view.objects {
      guard let state = history.object(object.identity) else { continue }
      let owner = object.link.flatMap { history.object($0.owner) }
      let link = owner.flatMap { owner in object.link.flatMap { history.link(of: owner, $0.property) } }
      visible.add(state, nil, by: link)
    }
    if let projection = shape.projection {
      addElements(shown, of: view, showing: projection, to: &visible)
    }
    return visible.observations(in: version)
  }

  private func addElements(
    _ shown: [Mixed], of view: PropertyWatch.View, showing projection: Projection,
    to visible: inout VisibleObjects
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
  private func shown(_ change: PropertyEvent, _ view: PropertyWatch.View) -> [Mixed]? {
    switch (change, view.value) {
    case (.delete, _), (_, nil): nil
    case (.insert, let value?), (.value, let value?): value.elements(of: view.type ?? watch.path.type)
    case (.elements(let diff), .list(let values)?):
      (diff.insertions + diff.modificationsNew).map { values[$0] }
    case (.entries(let diff), .dictionary(let entries)?):
      diff.shown.map { entries[$0].value }
    case (.elements, _?), (.entries, _?): []
    }
  }

  private func writeValue(of view: PropertyWatch.View, to json: inout PlainJSONWriter) {
    json.key("value")
    ObjectEncoder(history: history).write(
      view.value ?? .null, of: view.type ?? watch.path.type, showing: shape.projection, to: &json)
  }

  private func writeElements(
    of view: PropertyWatch.View, at indices: [Int], as name: String, to json: inout PlainJSONWriter
  ) {
    guard case .list(let values)? = view.value, let type = watch.path.type.elementType else { return }
    json.key(name)
    json.beginArray()
    for index in indices {
      ObjectEncoder(history: history).write(
        values[index], of: type, showing: shape.projection, to: &json)
    }
    json.endArray()
  }

  private func write(
    _ diff: MapDiff, of view: PropertyWatch.View, to json: inout PlainJSONWriter
  ) {
    for (name, keys) in [
      ("deletions", diff.deletions), ("insertions", diff.insertions), ("modifications", diff.modifications),
    ] {
      json.key(name)
      json.beginArray()
      for key in keys { json.string(key) }
      json.endArray()
    }
    guard case .dictionary(let entries)? = view.value, let type = watch.path.type.elementType else { return }
    json.key("values")
    json.beginDocument()
    for entry in diff.shown.map({ entries[$0] }) {
      json.key(entry.key)
      ObjectEncoder(history: history).write(
        entry.value, of: type, showing: shape.projection, to: &json)
    }
    json.endDocument()
  }
}

extension PropertyEvent {
  /// The type of its event.
  fileprivate var eventName: EventName {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .value, .elements, .entries: .update
    }
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
