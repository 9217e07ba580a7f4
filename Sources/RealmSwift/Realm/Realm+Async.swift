public import Dispatch
import GatehouseLive

/// The number of a transaction that waits.
public typealias AsyncTransactionId = UInt32

extension Realm {
  /// Whether a Realm is fetched from elsewhere before it is opened. None is, here.
  public enum OpenBehavior: Sendable {
    /// The Realm is opened as it is.
    case never
    /// The same as `never`, where nothing is synchronized.
    case always
    /// The same as `never`, where nothing is synchronized.
    case once
  }

  /// Opens a Realm of the main actor.
  @MainActor
  public init(
    configuration: Realm.Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    context = try Realm.open(configuration, .queue(.main))
  }

  /// Opens a Realm of an actor.
  public init<A: Actor>(
    configuration: Realm.Configuration = .defaultConfiguration, actor: A,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    context = try Realm.open(configuration, .of(actor))
  }

  /// Opens a Realm of the actor that asks.
  public static func open(
    configuration: Realm.Configuration = .defaultConfiguration,
    _isolation actor: isolated any Actor = #isolation, downloadBeforeOpen: OpenBehavior = .never
  ) async throws -> Realm {
    Realm(context: try Realm.open(configuration, .of(actor)))
  }

  /// The opening of a Realm, which can be given up.
  public struct AsyncOpenTask {
    let work: DispatchWorkItem

    /// Gives the opening up, if it has not begun.
    public func cancel() { work.cancel() }
  }

  /// Opens a Realm on a queue, and hands it to `callback` there.
  @discardableResult
  public static func asyncOpen(
    configuration: Realm.Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
    callback: @escaping (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let handover = NotificationToken.Handover(value: callback)
    let work = DispatchWorkItem {
      handover.value(Result { try Realm(configuration: configuration, queue: callbackQueue) })
    }
    callbackQueue.async(execute: work)
    return AsyncOpenTask(work: work)
  }

  /// Runs `block` in a transaction, which is committed; if the block throws, it is cancelled.
  @discardableResult
  public func asyncWrite<Result>(
    _isolation actor: isolated any Actor = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    try write(block)
  }

  /// Goes on to the newest state; false: it is read already.
  @discardableResult
  public func asyncRefresh(_isolation: isolated any Actor = #isolation) async -> Bool { refresh() }

  // Transactions that begin later, where the Realm lives

  /// Whether transactions wait, or are open, that were begun without being waited for.
  public var isPerformingAsynchronousWriteOperations: Bool { !context.pendingWrites.isEmpty }

  /// Runs `block` in a transaction later, and tells when it is committed.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    beginAsyncWrite {
      block()
      if isInWriteTransaction { commitAsyncWrite(onComplete) }
    }
  }

  /// Begins a transaction later, and runs `block` in it, which commits it.
  @discardableResult
  public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
    context.check()
    if isFrozen { fatalError("Can't perform transactions on a frozen Realm") }
    if !context.live.confinement.isReachable {
      fatalError("Can only schedule asynchronous writes from within runloops.")
    }
    let id = context.nextWrite()
    let handover = NotificationToken.Handover(value: (realm: self, block: asyncWriteBlock))
    context.live.confinement.async {
      let (realm, block) = handover.value
      guard realm.context.pendingWrites.contains(id) else { return }
      realm.beginWrite()
      block()
      // Who forgets to commit takes everything back.
      if realm.isInWriteTransaction { realm.cancelWrite() }
      realm.context.pendingWrites.remove(id)
    }
    return id
  }

  /// Commits the transaction, and tells when that is done.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    let result = Result { try commitWrite() }
    let id = context.nextWrite()
    let handover = NotificationToken.Handover(value: (context: context, result: result, tell: onComplete))
    context.live.confinement.async {
      let (context, result, tell) = handover.value
      context.pendingWrites.remove(id)
      if case .failure(let error) = result { tell?(error) } else { tell?(nil) }
    }
    return id
  }

  /// Has a transaction that waits not begin.
  public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
    context.check()
    context.pendingWrites.remove(asyncTransactionId)
  }
}

extension Confinement {
  /// An actor; the main one is meant by its queue.
  static func of(_ actor: any Actor) -> Confinement {
    actor === MainActor.shared ? .queue(.main) : .actor(actor)
  }
}
