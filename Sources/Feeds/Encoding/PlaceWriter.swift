import BSON
import Model
import Query
import Storage

/// Writes what has become of a place as frames.
struct PlaceWriter {
  let scene: Scene
  let place: Place
  let shape: Shape

  /// Appends the frame with all that is there.
  func append(_ view: Place.View, at position: EventPosition, to bytes: inout [UInt8]) {
    append("initial", position, to: &bytes) { json in write(view.value ?? .null, "value", &json) }
  }

  /// Appends the frame of a change.
  func append(
    _ change: PlaceChange, _ view: Place.View, at position: EventPosition, to bytes: inout [UInt8]
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
  func observations(of change: PlaceChange, _ view: Place.View, _ version: Int64) -> [Observation] {
    guard let shown = shown(change, view.value) else { return [] }
    var sightings = Sightings(scene: scene)
    for object in view.objects {
      guard let state = scene.object(object.identity) else { continue }
      let owner = object.link.flatMap { scene.object($0.owner) }
      let link = owner.flatMap { owner in object.link.flatMap { scene.link(of: owner, $0.property) } }
      sightings.add(state, nil, by: link)
    }
    if let projection = shape.projection { addElements(shown, view, projection, to: &sightings) }
    return sightings.observations(in: version)
  }

  private func addElements(
    _ shown: [Mixed], _ view: Place.View, _ projection: Projection, to sightings: inout Sightings
  ) {
    guard let elementType = place.elementType else { return }
    let owner = view.property.flatMap { scene.object($0.owner) }
    let link = owner.flatMap { owner in view.property.flatMap { scene.link(of: owner, $0.index) } }
    for id in shown {
      guard let state = scene.object(Identity(objectType: elementType, id: id)) else { continue }
      sightings.add(state, projection, by: link)
    }
  }

  /// The values that the frame of a change has; nil: it shows nothing.
  private func shown(_ change: PlaceChange, _ value: Mixed?) -> [Mixed]? {
    switch (change, value) {
    case (.delete, _), (_, nil): nil
    case (.insert, let value?), (.value, let value?): value.elements(of: place.path.type)
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
    let path = place.segments.joined(separator: "/")
    Frame.append(event, position, of: place.root, path: path, to: &bytes, content)
  }

  private func write(_ value: Mixed, _ name: String, _ json: inout PlainJSONWriter) {
    json.key(name)
    ObjectEncoder(scene: scene).write(value, place.path.type, shape.projection, to: &json)
  }

  private func write(_ list: Mixed?, at indices: [Int], _ name: String, _ json: inout PlainJSONWriter) {
    guard case .list(let values)? = list, let type = place.path.type.elementType else { return }
    json.key(name)
    json.beginArray()
    for index in indices {
      ObjectEncoder(scene: scene).write(values[index], type, shape.projection, to: &json)
    }
    json.endArray()
  }

  private func write(_ diff: EntriesDiff, _ map: Mixed?, _ json: inout PlainJSONWriter) {
    for (name, keys) in [
      ("deletions", diff.deletions), ("insertions", diff.insertions), ("modifications", diff.modifications),
    ] {
      json.key(name)
      json.beginArray()
      for key in keys { json.string(key) }
      json.endArray()
    }
    guard case .dictionary(let entries)? = map, let type = place.path.type.elementType else { return }
    json.key("values")
    json.beginDocument()
    for entry in diff.shown.map({ entries[$0] }) {
      json.key(entry.key)
      ObjectEncoder(scene: scene).write(entry.value, type, shape.projection, to: &json)
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
