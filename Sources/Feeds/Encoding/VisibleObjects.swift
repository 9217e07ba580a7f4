import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Finds out which objects something shows that ``ObjectEncoder`` writes, as they are at the iterator's position.
struct VisibleObjects {
  let history: HistoricalSnapshot
  private(set) var all: [Observation.Read] = []

  init(history: HistoricalSnapshot) {
    self.history = history
  }

  /// Returns an observation of the objects in that version; none where there are no objects.
  func observations(in version: Int64) -> [Observation] {
    all.isEmpty ? [] : [Observation(version: version, schema: history.layouts.schema, reads: all)]
  }

  /// An object, of which the projection shows other objects perhaps; `link` was followed to it.
  mutating func add(_ state: ObjectState, _ projection: Projection?, by link: Observation.Link? = nil) {
    let type = state.layout.objectType
    if !type.isEmbedded { all.append(Observation.Read(object: state.observed, link: link)) }
    for field in projection?.fields ?? [] {
      guard let target = field.target else { continue }
      if case .linkingObjects(let source, let name) = type.properties[field.property].type {
        addObjects(of: source, linkingBy: name, to: state, showing: target)
      } else {
        add(state.values[field.property], of: state, property: field.property, showing: target)
      }
    }
  }

  /// The objects that a property's value shows.
  private mutating func add(
    _ shown: Mixed, of state: ObjectState, property: Int, showing projection: Projection
  ) {
    let type = state.layout.objectType.properties[property].type
    guard case .object(let name)? = type.stored?.element, let layout = history.layouts[name] else { return }
    let link = state.layout.objectType.isEmbedded ? nil : history.link(of: state, property)
    for value in shown.elements(of: type) where value != .null {
      if layout.objectType.isEmbedded {
        add(ObjectState(layout, embedded: value), projection)
      } else if let object = history.object(Identity(objectType: name, id: value)) {
        add(object, projection, by: link)
      }
    }
  }

  private mutating func addObjects(
    of source: String, linkingBy name: String, to state: ObjectState, showing projection: Projection
  ) {
    guard let property = history.layouts[source]?.objectType.index(of: name) else { return }
    // Nobody follows links of a property to them: they are found, and in no text of the object.
    for object in history.linkingObjects(source, property, to: state) { add(object, projection) }
  }
}

extension HistoricalSnapshot {
  /// Returns what following the links of a property shows; nil where it has none to objects of classes.
  func link(of state: ObjectState, _ property: Int) -> Observation.Link? {
    let layout = state.layout
    let type = layout.objectType.properties[property].type
    guard layout.links.contains(property), case .object(let name)? = type.stored?.element else { return nil }
    let value = state.values[property]
    let targets = value.elements(of: type).map { id in
      id == .null ? nil : object(Identity(objectType: name, id: id))?.observed
    }
    let form: Observation.Link.Form
    switch (type, value) {
    case (.one, _), (.linkingObjects, _): form = .single
    case (.map, .dictionary(let entries)): form = .entries(entries.map(\.key))
    case (.list, _), (.set, _), (.map, _): form = .elements
    }
    return Observation.Link(
      objectType: layout.objectType.name, key: state.key,
      property: layout.objectType.properties[property].storedName, form: form, targetType: name,
      targets: targets)
  }

  /// Returns the objects that the frame of a change shows.
  func observations(of event: ChangeEvent, _ shape: Shape) -> [Observation] {
    guard let after = event.after, event.outcome.showsObject else { return [] }
    let version = event.stamp.position.log.version
    var visible = VisibleObjects(history: self)
    visible.add(after, shape.projection)
    let now = visible.observations(in: version)
    guard shape.showsValues, event.outcome == .update, event.isOwn, let before = event.before else {
      return now
    }
    let read = Observation.Read(object: before.observed)
    return [Observation(version: version - 1, schema: layouts.schema, reads: [read])] + now
  }
}

extension ObjectState {
  fileprivate var observed: Observation.Object {
    Observation.Object(objectType: layout.objectType.name, key: key, image: image)
  }
}
