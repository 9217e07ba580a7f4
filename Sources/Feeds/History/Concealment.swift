import GatehouseModel
import GatehouseQuery

/// Takes out of a state of the store what somebody may not see: objects that a rule hides are not there, links to them are
/// null or left out, and hidden properties are null. The rules themselves see everything.
final class Concealment {
  /// Objects that are remembered at most.
  private static let capacity = 65_536

  let visibility: Visibility
  /// The same state as whoever may see everything sees it.
  let base: HistoricalSnapshot
  /// Tells what may be seen by now, where the past is told; nil: the present is.
  private let now: CurrentVisibility?
  private var shown: [Identity: Bool] = [:]
  private var objects: [Identity: ObjectState?] = [:]

  init(_ visibility: Visibility, in base: HistoricalSnapshot, now: CurrentVisibility?) {
    self.visibility = visibility
    self.base = base
    self.now = now
  }

  /// Returns what is shown of the object; nil: nothing.
  func object(_ identity: Identity) -> ObjectState? {
    if let known = objects[identity] { return known }
    let object = shows(identity) ? base.object(identity).map(concealed) : nil
    if objects.count >= Self.capacity { objects = [:] }
    objects[identity] = .some(object)
    return object
  }

  /// Whether an object may be seen. One that is not there is not seen where its class has a rule: its primary key could be
  /// that of one that was hidden.
  func shows(_ identity: Identity) -> Bool {
    guard let condition = visibility.conditions[identity.objectType] else { return true }
    if let known = shown[identity] { return known }
    let isShown =
      base.object(identity).map { state in
        condition.matches(HistoricalObject(state: state, history: base))
          && now?.shows(identity, key: state.key, where: condition) ?? true
      } ?? false
    if shown.count >= Self.capacity { shown = [:] }
    shown[identity] = isShown
    return isShown
  }

  /// Whether a property is not shown of any object.
  func hides(_ property: Int, of objectType: String) -> Bool {
    visibility.hidden[objectType]?.contains(property) == true
  }

  private func concealed(_ state: ObjectState) -> ObjectState {
    var state = state
    let type = state.layout.objectType
    let hidden = visibility.hidden[type.name] ?? []
    if let names = visibility.hiddenFields[type.name], let fields = type.fieldsIndex,
      case .dictionary(let entries) = state.values[fields]
    {
      state.set(.dictionary(entries.filter { !names.contains(ExactText($0.key)) }), at: fields)
    }
    for (index, property) in type.properties.enumerated() {
      let value = state.values[index]
      if value == .null { continue }
      state.set(hidden.contains(index) ? .null : concealedValue(value, property.type), at: index)
    }
    return state
  }

  private func concealedValue(_ value: Mixed, _ type: PropertyType) -> Mixed {
    guard let element = type.stored?.element, mayConceal(element) else { return value }
    switch (type, value) {
    case (.list, .list(let values)), (.set, .list(let values)):
      guard type.dropsHiddenLinks, !isEmbedded(element) else {
        return .list(values.map { concealed($0, element) })
      }
      return .list(values.filter { $0 == .null || concealed($0, element) != .null })
    case (.map, .dictionary(let entries)):
      return .dictionary(entries.map { Mixed.Entry(key: $0.key, value: concealed($0.value, element)) })
    default: return concealed(value, element)
    }
  }

  private func concealed(_ value: Mixed, _ element: ElementType) -> Mixed {
    switch element {
    case .object(let name):
      if value == .null { return value }
      guard let layout = base.layouts[name], layout.objectType.isEmbedded else {
        return shows(Identity(objectType: name, id: value)) ? value : .null
      }
      return concealed(ObjectState(layout, embedded: value)).image
    case .mixed: return concealed(mixed: value)
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: return value
    }
  }

  /// Links inside mixed values are references in the log.
  private func concealed(mixed value: Mixed) -> Mixed {
    switch value {
    case .list(let values): return .list(values.map(concealed(mixed:)))
    case .dictionary(let entries):
      if let reference = value.reference { return shows(reference) ? value : .null }
      return .dictionary(entries.map { Mixed.Entry(key: $0.key, value: concealed(mixed: $0.value)) })
    default: return value
    }
  }

  private func mayConceal(_ element: ElementType) -> Bool {
    guard !visibility.restricted.isEmpty else { return false }
    switch element {
    case .object(let name): return visibility.restricted.contains(name) || isEmbedded(element)
    case .mixed: return true
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: return false
    }
  }

  private func isEmbedded(_ element: ElementType) -> Bool {
    guard case .object(let name) = element else { return false }
    return base.layouts[name]?.objectType.isEmbedded == true
  }
}
