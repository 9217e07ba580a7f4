/// Shows an object, a projection or a collection as it is, to code that tracks it by `withObservationTracking`, and has its
/// properties set, by `$object.property`, in transactions of their own.
@propertyWrapper
public struct ObservedRealmObject<ObjectType: RealmSubscribable> {
  /// Makes bindings of the properties.
  @dynamicMemberLookup
  public struct Wrapper {
    let value: ObjectType

    /// The property, whose value is set in a transaction of its own. That of an object that is gone stays as it is.
    public subscript<Member>(dynamicMember member: ReferenceWritableKeyPath<ObjectType, Member>)
      -> RealmBinding<Member>
    {
      RealmBinding {
        value[keyPath: member]
      } _: { new in
        value.change { $0[keyPath: member] = new }
      }
    }

    /// The property, which is set where the value is another one.
    public subscript<Member: Equatable>(dynamicMember member: ReferenceWritableKeyPath<ObjectType, Member>)
      -> RealmBinding<Member>
    {
      RealmBinding {
        value[keyPath: member]
      } _: { new in
        value.change { if $0[keyPath: member] != new { $0[keyPath: member] = new } }
      }
    }
  }

  private final class Storage {
    var value: ObjectType

    init(_ value: ObjectType) { self.value = value }
  }

  private let observed = ObservedValue()
  private let storage: Storage

  /// Shows a value.
  public init(wrappedValue: ObjectType) { storage = Storage(wrappedValue) }

  /// The value as it was when it was read: that of a Realm never changes, and is another one after a change.
  public var wrappedValue: ObjectType {
    get {
      let value = storage.value
      observed.access { value._rlmSubscribe($0) }
      if value.realm == nil || value.isInvalidated || value.isFrozen { return value }
      return value.realm?.isInWriteTransaction == true ? value : value.freeze()
    }
    nonmutating set {
      storage.value = newValue
      observed.forget()
      observed.didChange()
    }
  }

  /// Makes bindings of the properties.
  public var projectedValue: Wrapper { Wrapper(value: storage.value) }
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
