import GatehouseModel
import GatehouseQuery

/// A path inside an object that is watched: to a property, a collection, a part of one.
struct PropertyWatch: Hashable {
  let objectType: String
  let id: Mixed
  let path: ResourcePath
  let segments: [String]
  /// The class of the objects that are there, which links lead to.
  var elementType: String?
  /// Which changes of those objects are told.
  var dependencies = Dependencies.nothing
  /// The classes that links on the path lead to.
  private var linkedTypes: Set<String> = []

  init(_ objectType: String, id: Mixed, path: ResourcePath, segments: [String]) {
    self.objectType = objectType
    self.id = id
    self.path = path
    self.segments = segments
  }

  var root: Identity { Identity(objectType: objectType, id: id) }

  /// Whether only the object itself can change what is there, but for elements.
  var isOwn: Bool { path.ownerDepth == 0 }

  /// The classes whose objects are looked at.
  var visitedTypes: Set<String> {
    var types = distantTypes.union([objectType])
    for step in dependencies.linkPaths.flatMap(\.steps) { types.formUnion([step.owner, step.target]) }
    return types
  }

  /// The classes, apart from the object itself, whose changes may be changes here.
  var distantTypes: Set<String> {
    var types = linkedTypes.union(dependencies.linkPaths.map(\.end))
    if let elementType, dependencies != .nothing { types.insert(elementType) }
    return types
  }

  /// Finds the classes on the path.
  mutating func noteTypes(in schema: Schema) {
    // Whatever a way into a mixed value leads to is not known before.
    if path.steps.contains(where: { if case .nested = $0 { true } else { false } }) {
      linkedTypes.formUnion(schema.objectTypes.filter { !$0.isEmbedded }.map(\.name))
      return
    }
    var type = schema[objectType]
    var last: PropertyType?
    for step in path.steps.dropLast() {
      switch step {
      case .property(let index): last = type?.properties[index].type
      case .key, .index, .nested: last = last?.elementType
      }
      guard case .one(.object(let name), _)? = last, let next = schema[name] else { continue }
      if !next.isEmbedded { linkedTypes.insert(name) }
      type = next
    }
  }

  /// The value at the path, and the objects that it depends on.
  struct View {
    /// The objects on the path in its order, without the last ones, and by which property of which object each is
    /// found.
    var objects: [(identity: Identity, link: (owner: Identity, property: Int)?)] = []
    /// Nil: nothing is there.
    var value: Mixed?
    /// The type of the value; nil: nobody has looked.
    var type: PropertyType?
    /// The property whose whole value it is; nil: it is a part of one.
    var property: (owner: Identity, index: Int)?
  }

  /// Returns the value at the snapshot's position.
  func view(_ history: HistoricalSnapshot) -> View {
    var view = View(objects: [(root, nil)])
    if let state = history.object(root) { follow(path, from: state, root, in: history, to: &view) }
    return view
  }

  private func follow(
    _ path: ResourcePath, from start: ObjectState, _ identity: Identity, in history: HistoricalSnapshot,
    to view: inout View
  ) {
    var state = start
    var owner: Identity? = identity
    var link: (owner: Identity, property: Int)?
    var type: PropertyType?
    view.type = path.type
    for (index, step) in path.steps.enumerated() {
      view.property = nil
      switch step {
      case .property(let property):
        type = state.layout.objectType.properties[property].type
        view.value = state.shown(property, in: history)
        link = owner.map { ($0, property) }
        view.property = link.map { (owner: $0.owner, index: $0.property) }
      case .key, .index:
        view.value = view.value?.part(step)
        type = type?.elementType
      case .nested:
        if let target = view.value?.reference {
          view.value = nil
          return follow(path.steps[index...], from: target, by: link, in: history, to: &view)
        }
        view.value = view.value?.part(step)
      }
      guard let value = view.value else { return }
      guard index < path.steps.count - 1, case .one(.object(let name), _)? = type else { continue }
      guard let next = enter(name, id: value, in: history, by: link, owner: &owner, view: &view) else {
        view.value = nil
        return
      }
      state = next
    }
  }

  /// Goes on at the object where the way into a mixed value meets a link: only there it is known of which class it is.
  private func follow(
    _ rest: ArraySlice<ResourcePath.Step>, from target: Identity, by link: (owner: Identity, property: Int)?,
    in history: HistoricalSnapshot, to view: inout View
  ) {
    view.objects.append((target, link))
    guard let state = history.object(target),
      let path = try? ResourcePath(
        rest.map(\.segment), of: state.layout.objectType, in: history.layouts.schema)
    else { return }
    follow(path, from: state, target, in: history, to: &view)
  }

  private func enter(
    _ name: String, id value: Mixed, in history: HistoricalSnapshot,
    by link: (owner: Identity, property: Int)?, owner: inout Identity?, view: inout View
  ) -> ObjectState? {
    guard value != .null, let layout = history.layouts[name] else { return nil }
    if layout.objectType.isEmbedded {
      owner = nil
      return ObjectState(layout, embedded: value)
    }
    let identity = Identity(objectType: name, id: value)
    owner = identity
    view.objects.append((identity, link))
    return history.object(identity)
  }
}

extension ObjectState {
  /// The value of a property; nil where it is hidden, or is nothing that is stored.
  fileprivate func shown(_ property: Int, in history: HistoricalSnapshot) -> Mixed? {
    let type = layout.objectType
    if history.concealment?.hides(property, of: type.name) == true { return nil }
    return type.properties[property].type.stored == nil ? nil : values[property]
  }
}

extension ResourcePath.Step {
  /// The text of a step into a mixed value.
  fileprivate var segment: String {
    switch self {
    case .nested(let segment), .key(let segment): segment.text
    case .property(let index), .index(let index): String(index)
    }
  }
}

extension Mixed {
  /// An entry or an element; nil where there is none.
  fileprivate func part(_ step: ResourcePath.Step) -> Mixed? {
    switch (self, step) {
    case (.dictionary(let entries), .key(let key)), (.dictionary(let entries), .nested(let key)):
      entries.first { $0.key.compareBytes(key.text) == 0 }?.value
    case (.list(let values), .index(let index)):
      ListIndex.place(index, in: values.count).map { values[$0] }
    case (.list(let values), .nested(let segment)):
      ListIndex.place(segment.text, in: values.count).map { values[$0] }
    default: nil
    }
  }
}
