import CGatehouseRuntime

/// The classes of the process, as Swift's runtime knows them.
public enum RuntimeClasses {
  private final class Found {
    var classes: [AnyClass] = []
  }

  /// Returns each class that is not generic, used or not.
  static func all() -> [AnyClass] {
    let found = Found()
    runtime_visit_classes(
      { metadata, context in
        guard let metadata, let context else { return }
        let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
        found.classes.append(unsafeBitCast(metadata, to: AnyClass.self))
      }, Unmanaged.passUnretained(found).toOpaque())
    return found.classes
  }

  /// Returns the classes that are made of another one.
  public static func subclasses<Base: AnyObject>(of base: Base.Type) -> [Base.Type] {
    all().filter { isSubclass($0, of: base) }.map { unsafeBitCast($0, to: Base.Type.self) }
  }

  private static func isSubclass(_ type: AnyClass, of base: AnyClass) -> Bool {
    var type: AnyClass? = _getSuperclass(type)
    while let current = type {
      if current == base { return true }
      type = _getSuperclass(current)
    }
    return false
  }

  /// Whether the task that asks runs on an actor.
  static func isRunning(on actor: any Actor) -> Bool {
    let (identity, implementation) = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    return runtime_is_current_executor(identity, implementation)
  }
}
