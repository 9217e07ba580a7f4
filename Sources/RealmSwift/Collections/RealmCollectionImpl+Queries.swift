import GatehouseLive
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension RealmCollectionImpl {
  /// The query in the Realm; stops where the collection is in none.
  private func managed(_ operation: String) -> (context: RealmContext, live: LiveResults) {
    check()
    guard case .managed(let context, let live) = source else { fatalError(onlyManaged) }
    return (context, live)
  }

  /// Returns the objects for which a predicate holds, which is bound to their class.
  func filtered(by predicate: GatehouseQuery.Predicate) -> Results<Element> {
    let (context, live) = managed("filter")
    return Results(context, live.adding(.filter(predicate)))
  }

  /// Sorts by several paths of names, the first of which counts most.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
  where S.Element == SortDescriptor {
    let (context, live) = managed("sort")
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
    let keys = descriptors.map { descriptor in
      SortKey(
        path: context.sortPath(descriptor.keyPath, of: objectType, to: "sort"),
        ascending: descriptor.ascending)
    }
    return Results(context, live.adding(.sort(keys)))
  }

  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
    let (context, live) = managed("distinct")
    guard let objectType = live.objectType else { return Results(context, live.adding(.distinctValues)) }
    let paths = keyPaths.map { context.sortPath($0, of: objectType, to: "distinct") }
    return Results(context, live.adding(.distinct(paths)))
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
      (DynamicValue.unwrapped(element) as? ObjectBase)?.value(forKey: key) ?? (nil as Any?) as Any
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

  /// Sets a property of all objects.
  public func setValue(_ value: Any?, forKey key: String) {
    for element in allElements {
      (DynamicValue.unwrapped(element) as? ObjectBase)?.setValue(value, forKey: key)
    }
  }
}

extension RealmContext {
  /// Returns a path of names that objects of a class can be sorted by, or told apart; stops where there is none.
  func sortPath(_ text: String, of objectType: String, to verb: String) -> GatehouseQuery.KeyPath {
    func refuse(_ reason: String) -> Never { fatalError("Cannot \(verb) on key path '\(text)': \(reason).") }
    if text.contains("@") { refuse("KVC collection operators are not supported") }
    if text.isEmpty { refuse("key path is empty") }
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var type = objectType
    for (index, name) in names.enumerated() {
      guard let property = schema[type]?[String(name.prefix { $0 != "[" })] else {
        refuse("property '\(type).\(name)' does not exist")
      }
      let place = "property '\(type).\(name)'"
      let isLast = index == names.count - 1
      if property.isArray || property.isSet || property.type == .linkingObjects || property.type == .data
        || property.isMap && !name.contains("[")
      {
        refuse("\(place) is of unsupported type '\(property.typeName)'")
      }
      if isLast, property.type == .object {
        refuse("\(place) of type 'object' cannot be the final property in the key path")
      }
      if !isLast, property.type != .object {
        refuse("\(place) of type '\(property.typeName)' may only be the final property in the key path")
      }
      type = property.objectClassName ?? type
    }
    do throws(QueryError) {
      let plan = try Plan(
        request: QueryRequest(sort: text), schema: live.schema, objectType: objectType)
      guard case .sort(let keys)? = plan.clauses.first, let key = keys.first else {
        refuse("it is no path")
      }
      return key.path
    } catch { refuse("\(error)") }
  }
}
