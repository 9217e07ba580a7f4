public import Dispatch
import Glibc
import Synchronization

/// Who may use a live Realm: one thread, whatever runs on a queue, or an actor.
public enum Confinement: Sendable {
  /// One thread. The main one is meant by its queue, which another thread may come to serve (`dispatchMain()`).
  case thread(UInt)
  case queue(DispatchQueue)
  case actor(any Actor)
  /// Everybody: it never changes.
  case none

  static let key = DispatchSpecificKey<UInt>()

  /// The thread that asks, or the main queue.
  public static var current: Confinement { isOnMainQueue ? .queue(.main) : .thread(currentThread) }

  static var currentThread: UInt { UInt(pthread_self()) }

  /// The main thread, once it has asked; 0: it has not yet.
  private static let mainThread = Atomic<UInt>(0)

  /// Whether the main queue asks, or the main thread outside of it.
  public static var isOnMainQueue: Bool { isOn(.main) }

  private static func isOn(_ queue: DispatchQueue) -> Bool {
    let identity = identity(of: queue)
    if DispatchQueue.getSpecific(key: key) == identity { return true }
    return isMainThread && identity == self.identity(of: .main)
  }

  /// Whether the main thread asks: the one whose number is that of the process (proc_thread-self(5)).
  static var isMainThread: Bool {
    let (main, current) = (mainThread.load(ordering: .relaxed), currentThread)
    if main != 0 { return main == current }
    var path = [CChar](repeating: 0, count: 64)
    guard readlink("/proc/thread-self", &path, path.count - 1) > 0 else { return false }
    let numbers = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: "/"))
    guard numbers.count == 3, numbers[0] == numbers[2] else { return false }
    mainThread.store(current, ordering: .relaxed)
    return true
  }

  /// Counts the queues that are known to whatever runs on them.
  private static let queues = Mutex<UInt>(0)

  /// The number of a queue, which whatever runs on it knows from then on. Objects of one queue may be several.
  private static func identity(of queue: DispatchQueue) -> UInt {
    queues.withLock { count in
      if let known = queue.getSpecific(key: key) { return known }
      count += 1
      queue.setSpecific(key: key, value: count)
      return count
    }
  }

  /// Whether who asks is who may use it.
  public var isCurrent: Bool {
    switch self {
    case .thread(let thread): thread == Confinement.currentThread
    case .queue(let queue): Confinement.isOn(queue)
    case .actor(let actor): RuntimeClasses.isRunning(on: actor)
    case .none: true
    }
  }

  /// Whether others can have something run there.
  public var isReachable: Bool {
    switch self {
    case .queue, .actor: true
    case .thread, .none: false
    }
  }

  /// Runs `body` there later.
  public func async(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .queue(let queue): queue.async(execute: body)
    case .actor(let actor): Task { await run(body, on: actor) }
    case .thread, .none: break
    }
  }

  /// The same for the same thread, queue or actor.
  public var identity: UInt {
    switch self {
    case .thread(let thread): thread
    case .queue(let queue): Confinement.identity(of: queue)
    case .actor(let actor): UInt(bitPattern: ObjectIdentifier(actor).hashValue)
    case .none: 0
    }
  }
}

private func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) async { body() }
