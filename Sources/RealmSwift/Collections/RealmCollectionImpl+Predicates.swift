import GatehouseLive
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension RealmCollectionImpl {
  /// Returns the objects for which a predicate holds.
  public func filter(_ predicate: RealmPredicate) -> Results<Element> {
    if isDetached { return Results() }
    let bound = bound(predicate)
    guard case .managed(let context, let live) = source, let objectType = live.objectType else {
      fatalError(onlyManaged)
    }
    let binder: LiveResults.Binder = { schema in
      (try? predicate.bound(to: objectType, in: schema)).map { .filter($0) }
    }
    return Results(context, live.adding(.filter(bound), bindingBy: binder))
  }

  /// Returns the objects for which a predicate holds: a format, and its arguments.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
    filter(RealmPredicate(format: predicateFormat, argumentArray: args))
  }

  /// Returns the place of the first object for which a predicate holds; nil: there is none.
  public func index(matching predicate: RealmPredicate) -> Int? {
    if isDetached { return nil }
    guard case .managed(let context, let live) = source else {
      do throws(RealmPredicateError) {
        return try UnmanagedObjects().index(in: allElements, where: predicate)
      } catch {
        fatalError(error.reason)
      }
    }
    let predicate = bound(predicate)
    return live.all.firstIndex { element in
      guard let row = context.live.row(of: element) else { return false }
      return context.live.matches(predicate, row)
    }
  }

  /// Returns the place of the first object for which a predicate holds, a format and its arguments; nil: there is none.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    index(matching: RealmPredicate(format: predicateFormat, argumentArray: args))
  }

  private func bound(_ predicate: RealmPredicate) -> GatehouseQuery.Predicate {
    check()
    guard case .managed(let context, let live) = source else { fatalError(onlyManaged) }
    guard let objectType = live.objectType else {
      fatalError("Querying is currently only implemented for arrays of Realm Objects")
    }
    do throws(RealmPredicateError) {
      return try predicate.bound(to: objectType, in: context.live.schema)
    } catch {
      fatalError(error.reason)
    }
  }
}
