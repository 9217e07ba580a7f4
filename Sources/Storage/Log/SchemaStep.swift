import GatehouseModel

/// One change of the schema, which takes images of objects along: to other names, with the values that new properties
/// got, without those that are gone.
///
/// It does to an image what ``SchemaMigration`` does to the objects of the file.
final class SchemaStep {
  /// How the images of one class are translated.
  private struct ClassStep {
    /// By old stored name.
    var kept: [String: (old: Property, new: Property)] = [:]
    /// The type of the primary key where it is another one.
    var identifier: ElementType?
    /// Properties that were not there, and required ones that were optional or had another type, by stored names, with
    /// what objects get.
    var filled: [(name: String, value: Mixed)] = []
    var oldNames: Set<String> = []
    /// The stored names of properties that have another type.
    var converted: Set<String> = []

    /// Leaves out of an update what it did not change: values that cannot be converted are all the same now.
    func removeEqual(_ before: inout Mixed?, _ after: inout Mixed?) {
      guard case .dictionary(let old)? = before, case .dictionary(let new)? = after else { return }
      let equal = Set(old).intersection(new).map(\.key).filter(converted.contains)
      before = .dictionary(old.filter { !equal.contains($0.key) })
      after = .dictionary(new.filter { !equal.contains($0.key) })
    }
  }

  let version: Int64
  private let old: Schema
  private let new: Schema
  private let renames: [CollectionChange]
  /// The new names of classes, by their old ones, in the order in which they were given.
  private let renamedClasses: [ClassRename]
  /// Nil: the class is not what it was.
  private var classes: [String: ClassStep?] = [:]

  /// The elements of `renames` are the new names of properties, by class and old name, and for no class those of classes.
  init(version: Int64, from old: Schema, to new: Schema, renames: [CollectionChange]) {
    self.version = version
    self.old = old
    self.new = new
    self.renames = renames.filter { !$0.property.isEmpty }
    renamedClasses = (renames.first { $0.property.isEmpty }?.elements ?? []).compactMap { element in
      guard case (.key(let from), .string(let to)?) = (element.place, element.after) else { return nil }
      return ClassRename(from: from, to: to)
    }
  }

  /// Whether classes have other names after it.
  var renamesClasses: Bool { !renamedClasses.isEmpty }

  /// The name before it of the class that has a name after it; nil: no class had it.
  func formerName(of objectType: String) -> String? {
    let name = renamedClasses.last { $0.to == objectType }?.from ?? objectType
    return old[name] == nil ? nil : name
  }

  private func name(of objectType: String) -> String {
    renamedClasses.first { $0.from == objectType }?.to ?? objectType
  }

  /// Whether objects lost something by it that the log does not have.
  var losesValues: Bool {
    var renamed = renamedClasses.reduce(old) { $0.renaming($1) }
    for change in renames {
      for element in change.elements {
        guard case (.key(let from), .string(let to)?) = (element.place, element.after) else { continue }
        renamed = renamed.renaming(PropertyRename(objectType: change.property, from: from, to: to))
      }
    }
    return !renamed.difference(to: new).destructive.isEmpty
  }

  /// The change in the terms of the new schema; nil: nothing of what it concerns is left.
  func translate(_ change: LoggedChange) -> LoggedChange? {
    guard let step = step(of: change.objectType) else { return nil }
    let isWhole = change.operation != .update
    let elements = change.elements.compactMap { translate($0, step) }
    var before = change.before.map { translate($0, step, isWhole: isWhole) }
    var after = change.after.map { translate($0, step, isWhole: isWhole) }
    if !isWhole, !step.converted.isEmpty { step.removeEqual(&before, &after) }
    if !isWhole, elements.isEmpty, after.isEmptyImage, before.isEmptyImage { return nil }
    return LoggedChange(
      position: change.position, time: change.time, objectType: name(of: change.objectType), key: change.key,
      id: step.identifier.flatMap { change.id.converted(to: $0) } ?? change.id, operation: change.operation,
      before: before, after: after, elements: elements, isReplacement: change.isReplacement)
  }

  private func translate(_ change: CollectionChange, _ step: ClassStep) -> CollectionChange? {
    guard let (old, new) = step.kept[change.property] else {
      return step.oldNames.contains(change.property) ? nil : change
    }
    // Nobody knows what the single value would have been before and after.
    if case .one = new.type { return nil }
    return CollectionChange(
      property: new.storedName,
      elements: change.elements.map { element in
        ElementChange(
          element.place,
          before: element.before.map { converted(element: translate(element: $0, old), old, new) },
          after: element.after.map { converted(element: translate(element: $0, old), old, new) })
      })
  }

  private func translate(_ image: Mixed, _ step: ClassStep, isWhole: Bool) -> Mixed {
    guard case .dictionary(let entries) = image else { return image }
    var translated: [Mixed.Entry] = []
    for entry in entries {
      if let (old, new) = step.kept[entry.key] {
        let value = converted(translate(entry.value, old), old, to: new)
        translated.append(Mixed.Entry(key: new.storedName, value: value))
      } else if !step.oldNames.contains(entry.key) {
        // The image of an object that the log leaves to its row is that of today.
        translated.append(entry)
      }
    }
    for (name, value) in step.filled {
      if let index = translated.firstIndex(where: { $0.key == name }) {
        if translated[index].value == .null { translated[index] = Mixed.Entry(key: name, value: value) }
      } else if isWhole {
        translated.append(Mixed.Entry(key: name, value: value))
      }
    }
    return .dictionary(translated)
  }

  /// The value of a property that may have another type now; null where it cannot be converted.
  private func converted(_ value: Mixed, _ old: Property, to new: Property) -> Mixed {
    guard old.converts(to: new) else { return value }
    let element = { self.converted(element: $0, old, new) }
    return switch (old.type, new.type, value) {
    case (.one, .one, _): element(value)
    case (.one, _, .null): .list([])
    case (.one, _, _): .list([element(value)])
    case (_, .one, .list(let values)): values.count == 1 ? element(values[0]) : .null
    case (.set, _, .list(let values)):
      .list(values.map(element).sorted { MixedOrder.compare($0, $1) < 0 })
    case (_, _, .list(let values)): .list(values.map(element))
    case (_, _, .dictionary(let entries)):
      .dictionary(entries.map { Mixed.Entry(key: $0.key, value: element($0.value)) })
    default: value
    }
  }

  /// A single value or an element; null where it cannot be converted.
  private func converted(element value: Mixed, _ old: Property, _ new: Property) -> Mixed {
    guard let from = old.type.stored?.element, let to = new.type.stored?.element else { return value }
    return value.converted(from: from, to: to) ?? .null
  }

  /// The value of a property, in which objects may be embedded.
  private func translate(_ value: Mixed, _ property: Property) -> Mixed {
    switch (property.type, value) {
    case (.one, _): translate(element: value, property)
    case (.list, .list(let values)), (.set, .list(let values)):
      .list(values.map { translate(element: $0, property) })
    case (.map, .dictionary(let entries)):
      .dictionary(
        entries.map { Mixed.Entry(key: $0.key, value: translate(element: $0.value, property)) })
    default: value
    }
  }

  private func translate(element value: Mixed, _ property: Property) -> Mixed {
    if renamesClasses, property.type.stored?.element == .mixed {
      return renamedClasses.reduce(value) { $0.renamingLinks($1) }
    }
    guard case .object(let name)? = property.type.stored?.element, let former = formerName(of: name),
      old[former]?.isEmbedded == true, value != .null, let step = step(of: former)
    else { return value }
    return translate(value, step, isWhole: true)
  }

  private func step(of objectType: String) -> ClassStep? {
    if let step = classes[objectType] { return step }
    let step = makeStep(of: objectType)
    classes[objectType] = .some(step)
    return step
  }

  private func makeStep(of objectType: String) -> ClassStep? {
    guard let former = old[objectType], let target = new[name(of: objectType)],
      former.isEmbedded == target.isEmbedded
    else { return nil }
    // It links to others by their new names.
    let old = renamedClasses.reduce(former) { $1.renamed($0) }
    var step = ClassStep(oldNames: Set(old.properties.map(\.storedName)))
    for property in target.properties where property.type.stored != nil {
      if let origin = origin(of: property, of: target, in: old) {
        step.kept[origin.storedName] = (origin, property)
        let isConverted = origin.converts(to: property)
        if isConverted { step.converted.insert(property.storedName) }
        if isConverted, property.name == target.primaryKey?.name {
          step.identifier = property.type.stored?.element
        }
        guard case .one(_, let wasOptional) = origin.type, case .one(_, false) = property.type,
          wasOptional || isConverted
        else { continue }
        step.filled.append((property.storedName, value(of: property)))
      } else {
        step.filled.append((property.storedName, value(of: property)))
      }
    }
    return step
  }

  /// The property that keeps its values in the new one, as ``SchemaMigration`` finds it.
  private func origin(of property: Property, of target: ObjectType, in old: ObjectType) -> Property? {
    let renames = renames.first { $0.property == target.name }?.elements ?? []
    let same =
      old.properties.first { $0.storedName == property.storedName }
      ?? old.properties.first { candidate in
        let rename = renames.first { $0.place == .key(candidate.name) }?.after
        return rename.map { $0 == .string(property.name) } ?? (candidate.name == property.name)
      }
    return same.flatMap { $0.hasForm(of: property) || $0.converts(to: property) ? $0 : nil }
  }

  /// Returns the value of a new property in objects that were there before it.
  private func value(of property: Property) -> Mixed {
    switch property.type {
    case .one: property.initialValue(in: new) ?? .null
    case .list, .set: .list([])
    case .map: .dictionary([])
    case .linkingObjects: .null
    }
  }
}

extension Mixed? {
  /// Whether it is an image without properties, or none.
  fileprivate var isEmptyImage: Bool {
    switch self {
    case nil: true
    case .dictionary(let entries)?: entries.isEmpty
    default: false
    }
  }
}
