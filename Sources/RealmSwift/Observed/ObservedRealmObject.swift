/// Shows an object, a projection or a collection as it is, to code that tracks it by `withObservationTracking`, and has its
/// properties set, by `$object.property`, in transactions of their own.
@propertyWrapper
public struct ObservedRealmObject<ObjectType: RealmSubscribable> {
  /// Makes bindings of the properties.
  @dynamicMemberLookup
  public struct Wrapper: BoundCollection {
    public typealias Value = ObjectType

    let value: ObjectType
    /// Whether the value stands for one that is gone, so that nothing is set.
    let isGone: Bool

    public func _rlmChange(_ body: (ObjectType) -> Void) { if !isGone { value.change(body) } }

    /// The property, whose value is set in a transaction of its own. That of an object that is gone stays as it was last.
    public subscript<Member>(dynamicMember member: ReferenceWritableKeyPath<ObjectType, Member>)
      -> RealmBinding<Member>
    {
      binding(of: member) { $0[keyPath: member] = $1 }
    }

    /// The property, which is set where the value is another one.
    public subscript<Member: Equatable>(dynamicMember member: ReferenceWritableKeyPath<ObjectType, Member>)
      -> RealmBinding<Member>
    {
      binding(of: member) { if $0[keyPath: member] != $1 { $0[keyPath: member] = $1 } }
    }

    private func binding<Member>(
      of member: ReferenceWritableKeyPath<ObjectType, Member>, _ set: @escaping (ObjectType, Member) -> Void
    ) -> RealmBinding<Member> {
      var last = value[keyPath: member]
      return RealmBinding {
        if !value.isInvalidated { last = value[keyPath: member] }
        return last
      } _: { new in
        _rlmChange { set($0, new) }
      }
    }
  }

  private final class Storage {
    var value: ObjectType

    init(_ value: ObjectType) { self.value = value }

    /// The value, or a new one in no Realm that stands for it where it is gone: with the defaults of its class, or empty.
    var shown: ObjectType {
      guard value.isInvalidated else { return value }
      let type = ObjectType.self
      let new: Any? =
        (type as? any _DefaultConstructible.Type)?.init()
        ?? (type as? any ProjectionObservable.Type)?.ofNewObject()
      return new as? ObjectType ?? value
    }
  }

  private let observed = ObservedValue()
  private let storage: Storage

  /// Shows a value.
  public init(wrappedValue: ObjectType) { storage = Storage(wrappedValue) }

  /// The value as it was when it was read: that of a Realm never changes, and is another one after a change. One that is gone is
  /// shown as a new one in no Realm.
  public var wrappedValue: ObjectType {
    get {
      let value = storage.shown
      observed.access { value._rlmSubscribe($0) }
      if value.isInvalidated || value.realm == nil || value.isFrozen { return value }
      return value.realm?.isInWriteTransaction == true ? value : value.freeze()
    }
    nonmutating set {
      storage.value = newValue
      observed.forget()
      observed.didChange()
    }
  }

  /// Makes bindings of the properties.
  public var projectedValue: Wrapper {
    let isGone = storage.value.isInvalidated
    return Wrapper(value: storage.shown, isGone: isGone)
  }
}

extension ProjectionObservable {
  /// A view of an object in no Realm.
  fileprivate static func ofNewObject() -> Self { Self(projecting: Root()) }
}

/// Shows an object, a projection or a collection that belongs to who declares it. It is used as ``ObservedRealmObject``, whose
/// value somebody else has.
@propertyWrapper
public struct StateRealmObject<ObjectType: RealmSubscribable> {
  private let observed: ObservedRealmObject<ObjectType>

  /// Shows a value.
  public init(wrappedValue: ObjectType) { observed = ObservedRealmObject(wrappedValue: wrappedValue) }

  /// The value as it was when it was read.
  public var wrappedValue: ObjectType {
    get { observed.wrappedValue }
    nonmutating set { observed.wrappedValue = newValue }
  }

  /// Makes bindings of the properties.
  public var projectedValue: ObservedRealmObject<ObjectType>.Wrapper { observed.projectedValue }
}
