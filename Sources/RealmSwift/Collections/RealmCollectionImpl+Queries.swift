import GatehouseLive
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension RealmCollectionImpl {
  /// The query in the Realm; stops where the collection is in none.
  private func managed() -> (context: RealmContext, live: LiveResults) {
    check()
    guard case .managed(let context, let live) = source else { fatalError(onlyManaged) }
    return (context, live)
  }

  /// Sorts by several paths of names, the first of which counts most.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
  where S.Element == SortDescriptor {
    if isDetached { return Results() }
    let (context, live) = managed()
    let descriptors = Array(sortDescriptors)
    guard let objectType = live.objectType else {
      let type = (Element.self as? any _RealmSchemaDiscoverable.Type)?._rlmType.name ?? "mixed"
      if descriptors.count > 1 { fatalError("Cannot sort array of '\(type)' on more than one key path") }
      if let path = descriptors.first?.keyPath, path != "self" {
        fatalError("Cannot sort on key path '\(path)': arrays of '\(type)' can only be sorted on 'self'")
      }
      return Results(context, live.adding(.sortValues(ascending: descriptors.first?.ascending ?? true)))
    }
    if descriptors.isEmpty { return Results(context, live) }
    let (names, ascending) = (descriptors.map(\.keyPath), descriptors.map(\.ascending))
    let step: @Sendable ([GatehouseQuery.KeyPath]) -> LiveResults.Step = { paths in
      .sort(zip(paths, ascending).map { SortKey(path: $0, ascending: $1) })
    }
    return Results(context, ordered(context, live, by: names, of: objectType, to: "sort", step))
  }

  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
    if isDetached { return Results() }
    let (context, live) = managed()
    guard let objectType = live.objectType else { return Results(context, live.adding(.distinctValues)) }
    return Results(
      context, ordered(context, live, by: Array(keyPaths), of: objectType, to: "distinct") { .distinct($0) })
  }

  /// Returns what a step leaves that is made of paths of names.
  private func ordered(
    _ context: RealmContext, _ live: LiveResults, by names: [String], of objectType: String, to verb: String,
    _ step: @escaping @Sendable ([GatehouseQuery.KeyPath]) -> LiveResults.Step
  ) -> LiveResults {
    let paths = names.map { context.sortPath($0, of: objectType, to: verb) }
    return live.adding(step(paths)) { schema in
      let paths = names.compactMap { GatehouseQuery.KeyPath(ordering: $0, of: objectType, in: schema) }
      return paths.count == names.count ? step(paths) : nil
    }
  }

  // Dynamic access

  /// Returns the values of a property of all objects; those of `self` are the elements.
  public func value(forKey key: String) -> Any? { anyValue(forKey: key) }

  /// Returns the values at the end of a path of names from all objects, or that of an operator as `@sum.age`.
  public func value(forKeyPath keyPath: String) -> Any? { anyValue(forKeyPath: keyPath) }

  func anyValue(forKey key: String) -> Any? {
    if key == "self" { return allElements.map { DynamicValue.unwrapped($0) } }
    if key.hasPrefix("@") { return anyValue(forKeyPath: key) }
    if key == "invalidated" { return isInvalidated }
    return allElements.map { element in
      (DynamicValue.unwrapped(element) as? ObjectBase ?? undefined(key)).value(forKey: key)
        ?? (nil as Any?) as Any
    }
  }

  func anyValue(forKeyPath keyPath: String) -> Any? {
    guard keyPath.hasPrefix("@") else {
      return allElements.map { element in
        (DynamicValue.unwrapped(element) as? ObjectBase)?.value(forKeyPath: keyPath) ?? (nil as Any?) as Any
      }
    }
    return CollectionOperator(keyPath).value(of: allElements.map { $0 as Any })
  }

  /// Sets a property of all objects; `self` is the elements.
  public func setValue(_ value: Any?, forKey key: String) {
    if key == "self", let elements = self as? any ElementCollection { return elements.setAll(to: value) }
    for element in allElements {
      (DynamicValue.unwrapped(element) as? ObjectBase ?? undefined(key)).setValue(value, forKey: key)
    }
  }

  /// The end of the program where a value is asked for a property, as Foundation has it.
  private func undefined<Value>(_ key: String) -> Value {
    fatalError("this class is not key value coding-compliant for the key \(key).")
  }
}
