public import Dispatch
import GatehouseLive
@_spi(Reflection) import Swift
import Synchronization

/// A property of a projection, whatever it projects.
public protocol AnyProjected {
  var _rlmProjectedKeyPath: AnyKeyPath { get }
}

/// Marks a property of a ``Projection`` that shows a part of the object.
@propertyWrapper
public struct Projected<T: ObjectBase, Value>: AnyProjected {
  fileprivate let keyPath: KeyPath<T, Value>

  public var _rlmProjectedKeyPath: AnyKeyPath { keyPath }

  @available(*, unavailable, message: "@Persisted can only be used as a property on a Realm object")
  public var wrappedValue: Value {
    get { fatalError("called wrappedValue getter") }
    set { fatalError("called wrappedValue setter") }
  }

  /// The value of the property of an object.
  public static subscript<EnclosingSelf: Projection<T>>(
    _enclosingInstance observed: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    get { observed.rootObject[keyPath: observed[keyPath: storageKeyPath].keyPath] }
    set {
      guard
        let keyPath = observed[keyPath: storageKeyPath].keyPath as? ReferenceWritableKeyPath<T, Value>
      else { fatalError("KeyPath is not writable") }
      observed.rootObject[keyPath: keyPath] = newValue
    }
  }

  /// Shows what a key path leads to.
  public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }
}

/// A change of one property of a projection. Observers are told ``PropertyChange``, in Realm, too.
public struct ProjectedPropertyChange {
  /// The name of the property.
  public let name: String
  /// The value before.
  public let oldValue: Any?
  /// The value after.
  public let newValue: Any?
}

/// A view of an object that can be observed.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
  /// The class of the object.
  associatedtype Root: ObjectBase
  /// The object that is shown.
  var rootObject: Root { get }
  /// Makes a view of an object.
  init(projecting object: Root)
}

/// A view of an object that shows parts of it, by names of its own.
open class Projection<Root: ObjectBase & RealmCollectionValue & ThreadConfined>: RealmCollectionValue,
  ProjectionObservable
{
  /// The type that values are stored as.
  public typealias PersistedType = Root

  /// The object.
  public let rootObject: Root

  /// Makes a view of an object. Stops where a property shows nothing that is stored of it.
  public required init(projecting object: Root) {
    rootObject = object
    _ = ProjectionLayout.of(self)
  }

  public static func == (lhs: Projection, rhs: Projection) -> Bool { lhs.rootObject == rhs.rootObject }

  public func hash(into hasher: inout Hasher) { rootObject.hash(into: &hasher) }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    Root._rlmFromStored(value).map { Self(projecting: $0) }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    rootObject._rlmDraft(in: context)
  }
}

extension Projection: KeypathSortable {}

extension Projection: RealmFetchable {
  /// The name of the class in schemas.
  public static func className() -> String { Root.className() }
}

extension Projection: CustomStringConvertible {
  /// The values that the view shows, each with the path in the object that it comes from.
  public var description: String {
    let lines = ProjectionLayout.of(self).properties.map { property in
      let value = (property.keyPath as? PartialKeyPath<Root>).map { rootObject[keyPath: $0] }
      return "\t\(property.label)(\\.\(property.path)) = \(value ?? "");"
    }
    // The first line is further to the right in Realm, too (S:Projection.swift).
    return
      """
      Projection<\(Root.className())> <\(ValueText.address(of: ObjectIdentifier(self)))> {
      \t\(lines.joined(separator: "\n"))
      }
      """
  }
}

extension Projection: ThreadConfined {
  public var realm: Realm? { rootObject.realm }
  public var isInvalidated: Bool { rootObject.isInvalidated }
  public var isFrozen: Bool { rootObject.isFrozen }

  /// Returns the view of the object as it is now.
  public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

  /// Returns the view of the live object; nil: it was deleted.
  public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

/// The properties of a class of projections, with the paths that they show.
///
/// Because it never changes, it is safe to share.
final class ProjectionLayout: @unchecked Sendable {
  private static let known = Mutex<[ObjectIdentifier: ProjectionLayout]>([:])

  /// A property of a projection.
  struct Property {
    let label: String
    /// The path of names in the object.
    let path: String
    let keyPath: AnyKeyPath

    /// The property of the object that it shows, or shows a part of.
    var root: String { String(path.prefix { $0 != "." }) }
  }

  let properties: [Property]

  private init(_ properties: [Property]) { self.properties = properties }

  static func of<P: ProjectionObservable>(_ projection: P) -> ProjectionLayout {
    let type = ObjectIdentifier(Swift.type(of: projection))
    if let layout = known.withLock({ $0[type] }) { return layout }
    var properties: [Property] = []
    for child in Mirror(reflecting: projection).children {
      guard let projected = child.value as? any AnyProjected,
        let keyPath = projected._rlmProjectedKeyPath as? PartialKeyPath<P.Root>
      else { continue }
      let label = String((child.label ?? "").drop { $0 == "_" })
      let path = _name(for: keyPath)
      if path.isEmpty { fatalError("@Projected property '\(label)' must be a part of Realm object") }
      properties.append(Property(label: label, path: path, keyPath: keyPath))
    }
    let layout = ProjectionLayout(properties)
    return known.withLock { known in
      known[type] = layout
      return layout
    }
  }
}

extension ProjectionObservable {
  /// Tells of changes of the object that the view shows, until it is deleted, or the token invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map { .queue($0) }, block)
  }

  /// Tells an actor of changes of the object that the view shows, until it is deleted, or the token invalidated.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    observe(keyPaths, .of(actor)) { change in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }

  /// Tells of changes of some of the object's properties that the view shows, until it is deleted, or the token invalidated.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths.map { Self._rlmName(for: $0) }, queue.map { .queue($0) }, block)
  }

  /// Tells an actor of changes of some of the object's properties that the view shows, until it is deleted, or the token
  /// invalidated.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { Self._rlmName(for: $0) }, on: actor, block)
  }

  private func observe(
    _ keyPaths: [String]?, _ confinement: Confinement?, _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let layout = ProjectionLayout.of(self)
    let shown = Set(layout.properties.map(\.path))
    let paths = keyPaths.map { $0.filter { shown.contains($0) } } ?? Array(shown)
    return rootObject.observeChanges(paths, on: confinement) { (change: ObjectChange<Root>) in
      switch change {
      case .error(let error): block(.error(error))
      case .deleted: block(.deleted)
      case .change(let root, let changes):
        let projected = layout.properties.flatMap { property in
          changes.filter { $0.name == property.root }.map { property.change(by: $0, of: root) }
        }
        if !projected.isEmpty { block(.change(Self(projecting: root), projected)) }
      }
    }
  }
}

extension ProjectionLayout.Property {
  /// Returns the change of the property by one of the object.
  fileprivate func change<Root: ObjectBase>(by change: PropertyChange, of root: Root) -> PropertyChange {
    guard let keyPath = keyPath as? PartialKeyPath<Root>, root.objectSchema[self.root]?.isCollection == false
    else { return PropertyChange(name: label, oldValue: nil, newValue: nil) }
    var old: Any?
    if let value = change.oldValue, (value as? ObjectBase)?.isInvalidated != true {
      // It showed before what it shows of an object with the value.
      let before = Root()
      before.setValue(value, forKey: change.name)
      old = DynamicValue.unwrapped(before[keyPath: keyPath])
    }
    return PropertyChange(
      name: label, oldValue: old, newValue: DynamicValue.unwrapped(root[keyPath: keyPath]))
  }
}
