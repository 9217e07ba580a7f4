public import Dispatch
public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A change of one property of an object.
public struct PropertyChange {
  /// The name of the property.
  public let name: String
  /// The value before; nil where it is not known: of collections, and where the observer's own Realm has changed it.
  public let oldValue: Any?
  /// The value after; nil of collections.
  public let newValue: Any?
}

/// A change of an object.
public enum ObjectChange<T> {
  /// It never comes.
  case error(_ error: NSError)
  /// Properties of the object have changed.
  case change(_: T, _: [PropertyChange])
  /// The object is gone, and nothing else will come.
  case deleted
}

extension ObjectBase {
  /// Tells of changes of an object until it is deleted, or the token invalidated.
  func observeChanges<T: ObjectBase>(
    _ keyPaths: [String]?, on confinement: Confinement?, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    guard let accessor else {
      fatalError("Only objects which are managed by a Realm support change notifications")
    }
    accessor.check()
    accessor.context.checkObservable("objects", isReachable: confinement != nil)
    let (context, row, className) = (accessor.context, accessor.row, accessor.managed.schema.className)
    _ = context.steps(keyPaths, of: className)
    let token = NotificationToken(confinement.map { context.sibling($0) } ?? context)
    token.observe { [weak token, self] target in
      let object = target === context ? self : self.copy(in: target)
      let managed = target.requireClass(className)
      let place = RowAddress(table: managed.table, key: row.key)
      return ObjectNotifier(of: place, in: target.live, along: target.steps(keyPaths, of: className)) {
        change in
        guard let token, token.wantsChanges else { return }
        switch change {
        case .deleted: block(.deleted)
        case .properties(let columns, let before, let fields):
          guard let object = object as? T, let accessor = object.accessor else { return }
          let changes = columns.compactMap { target.change(of: $0, accessor.row, before) }
          block(.change(object, changes + fields.map { accessor.change(of: $0) }))
        }
      }
    }
    return token
  }
}

extension RealmContext {
  /// Returns the change of the property that the store has at a position.
  fileprivate func change(of column: Int, _ row: RowAddress, _ before: [Mixed]) -> PropertyChange? {
    let managed = managedClass(at: row.table)
    guard let key = managed.key(ofColumn: column) else { return nil }
    let property = managed.schema.allProperties[key]
    if property.isCollection { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
    let object = object(at: row)
    return PropertyChange(
      name: property.name, oldValue: before.isEmpty ? nil : value(before[column]),
      newValue: object.value(forKey: property.name))
  }

  /// Returns a value as observers are told it; nil: null.
  private func value(_ stored: Mixed) -> Any? {
    if case .link = stored, let target = live.row(of: stored) { return object(at: target) }
    return DynamicValue.any(stored, in: self)
  }
}

extension ObjectAccessor {
  /// Returns the change of a document's field.
  fileprivate func change(of field: ObjectNotifier.FieldChange) -> PropertyChange {
    PropertyChange(
      name: field.name, oldValue: field.before.flatMap { DynamicValue.any($0, in: context) },
      newValue: fields?.any(field.name))
  }
}

extension ObjectBase {
  /// Tells an actor of changes of an object until it is deleted, or the token invalidated.
  fileprivate func observeChanges<A: Actor, T: ObjectBase>(
    _ keyPaths: [String]?, actor: A, _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observeChanges(keyPaths, on: .of(actor)) { (change: ObjectChange<T>) in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }
}

extension RealmSwiftObject {
  /// Tells of changes of the object until it is deleted, or the token invalidated.
  public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observeChanges(keyPaths, on: queue.map { .queue($0) }, block)
  }

  /// Tells of changes of some properties until the object is deleted, or the token invalidated.
  public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observeChanges(keyPaths.map { _name(for: $0) }, on: queue.map { .queue($0) }, block)
  }
}

extension RealmSwiftEmbeddedObject {
  /// Tells of changes of the object until it is deleted, or the token invalidated.
  public func observe<T: ObjectBase>(
    on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observeChanges(nil, on: queue.map { .queue($0) }, block)
  }
}

extension ThreadConfined where Self: ObjectBase {
  /// Tells an actor of changes of the object until it is deleted, or the token invalidated.
  public func observe<A: Actor, T: Object>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    observeChanges(keyPaths, actor: actor, block)
  }

  /// Tells an actor of changes of some properties until the object is deleted, or the token invalidated.
  public func observe<A: Actor, T: Object>(
    keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
  ) async -> NotificationToken {
    observeChanges(keyPaths.map { _name(for: $0) }, actor: actor, block)
  }
}
