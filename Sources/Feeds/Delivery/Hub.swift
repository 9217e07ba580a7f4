import Model
public import Storage
import Synchronization
public import Telemetry

/// Tells everybody what every commit means to them: one evaluation per commit and filter, one encoding per shape.
public actor Hub {
  /// A group, and the loops on which it has subscribers.
  private struct Members {
    let group: Group
    var branches: [ObjectIdentifier: Branch] = [:]
    var count = 0
  }

  public nonisolated let options: FeedOptions
  nonisolated let census: Census
  private nonisolated let store: Store
  private nonisolated let replays: Replays
  private nonisolated let results: ResultSets
  /// Whether a round is to come.
  private nonisolated let isSignalled = Atomic(false)
  /// Whether anybody watches.
  private nonisolated let isAwake = Atomic(false)
  /// The version up to which everybody was told.
  private nonisolated let told = Atomic<Int64>(0)

  private let reader: Reader
  /// Until when the next round waits; nil: it does not.
  private var rest: ContinuousClock.Instant?
  private var watch: Watch?
  private var members: [Int: Members] = [:]
  private var numbers: [Subscription: Int] = [:]
  private var lastNumber = 0

  /// So many changes are told before others have their turn.
  private static let portion = 256

  public init(_ store: Store, options: FeedOptions = FeedOptions(), metrics: Registry? = nil)
    throws(StorageError)
  {
    self.store = store
    self.options = options
    census = Census(options, metrics)
    reader = try store.makeReader()
    replays = Replays(store, options, metrics)
    results = try ResultSets(store)
    store.observeCommits { [weak self] in self?.didCommit() }
    metrics?.read("gatehouse_feed_lag_commits", help: "Commits that subscribers have not been told of yet.") {
      [weak self] in
      guard let self, isAwake.load(ordering: .relaxed) else { return 0 }
      return Double(max(0, store.version - told.load(ordering: .relaxed)))
    }
  }

  /// Makes a place for a subscriber; false: there are enough of them.
  public nonisolated func admit(_ client: UInt64) -> Bool { census.admit(client) }

  /// Gives a place back for which no stream was opened.
  public nonisolated func release(_ client: UInt64) { census.release(client) }

  // Commits

  /// Makes a note, on the writer's queue.
  private nonisolated func didCommit() {
    guard isAwake.load(ordering: .relaxed), !isSignalled.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    Task { await round() }
  }

  /// Under load a round waits for more commits: each costs a look at the file and wakes the loops, however much there
  /// is to tell. A commit that comes alone is told at once.
  private func round() async {
    if let rest { try? await Task.sleep(until: rest, clock: .continuous) }
    isSignalled.store(false, ordering: .releasing)
    let before = watch?.reached.version
    // Others have their turn in between, such as who joins.
    while tellSome() { await Task.yield() }
    let isBusy = (watch?.reached.version ?? 0) - (before ?? .max) > 1
    rest = isBusy ? .now + .nanoseconds(options.pause) : nil
  }

  /// Hands everything that has been committed by now to the loops.
  public func tellAll() {
    while tellSome() {}
  }

  /// Hands some of what has been committed to the loops; false: that was all.
  ///
  /// Each portion is of a snapshot of its own: however much there is to tell, none stays open for long.
  private func tellSome() -> Bool {
    guard let watch else { return false }
    defer { told.store(self.watch?.reached.version ?? 0, ordering: .relaxed) }
    do throws(StorageError) {
      return try reader.snapshot { (snapshot) throws(StorageError) in
        if snapshot.schema != watch.schema { rebind(watch, snapshot.schema) }
        try watch.look(snapshot)
        let hasMore = try watch.walk(snapshot, limit: Hub.portion)
        post(watch, through: watch.reached)
        return hasMore
      }
    } catch {
      recover(from: error)
      return false
    }
  }

  /// Hands what was told to the loops; with it everything up to `position`, where it is given, is told.
  private func post(_ watch: Watch, through position: LogPosition?) {
    var messages: [ObjectIdentifier: [Branch.Message]] = [:]
    for group in watch.takeTold() {
      guard group.subscription.results == nil else {
        results.note(group.number, group.isTouchedAnywhere ? nil : group.touched)
        group.touched = []
        group.isTouchedAnywhere = false
        group.parcel = Parcel()
        continue
      }
      let message = Branch.Message.frames(group.parcel, events: group.events, group: group.number)
      group.parcel = Parcel()
      group.events = 0
      for branch in members[group.number]?.branches.keys ?? [:].keys {
        messages[branch, default: []].append(message)
      }
    }
    for branch in branches.values {
      branch.post(messages[ObjectIdentifier(branch)] ?? [], through: position)
    }
  }

  /// Begins to watch behind a position.
  private func watch(from position: LogPosition) -> Watch {
    let watch = Watch(from: EventPosition(position), schema: store.schema, limit: options.distantObjects)
    watch.didFill = { [unowned self] in
      if let watch = self.watch { post(watch, through: nil) }
    }
    return watch
  }

  /// The loops that have subscribers.
  private var branches: [ObjectIdentifier: Branch] = [:]

  /// The walk lost its way: everybody is told so, and it goes on from now.
  private func recover(from error: StorageError) {
    guard let version = try? reader.snapshot({ $0.version }) else { return }
    restart(at: LogPosition(version: version))
    for branch in branches.values {
      branch.post([.resync(LogPosition(version: version))], through: LogPosition(version: version))
    }
  }

  private func restart(at position: LogPosition) {
    let watch = watch(from: position)
    self.watch = watch
    bindAll(watch, watch.schema)
  }

  // The schema

  private func rebind(_ watch: Watch, _ schema: Schema) {
    watch.removeAll(schema: schema)
    bindAll(watch, schema)
  }

  /// What has no meaning in the schema ends.
  private func bindAll(_ watch: Watch, _ schema: Schema) {
    for (number, members) in members {
      do throws(SubscriptionError) {
        let bound = try members.group.subscription.bound(in: schema)
        members.group.rebind(bound)
        watch.add(members.group, bound)
        if members.group.subscription.results != nil { results.note(number, nil) }
      } catch {
        for branch in members.branches.values {
          branch.post([.end(group: number, .schema)], through: watch.reached)
        }
      }
    }
  }

  // Subscribers

  /// Brings a subscriber from where it starts to now, and lets it live.
  nonisolated func serve(
    _ subscriber: Subscriber, _ subscription: Subscription, from start: StreamStart
  ) async {
    guard subscription.results == nil else {
      guard let group = await joinResults(subscriber, subscription) else {
        return subscriber.branch.perform { subscriber.finish(.schema) }
      }
      return await results.join(subscriber, subscription, group: group)
    }
    let key = ObjectIdentifier(subscriber)
    var isKnown = true
    // Who is far behind joins the others once it has caught up: what is new need not wait for it before.
    if start.isPast {
      do throws(StorageError) {
        try await replays.begin(key, subscription, from: start)
        guard try await replay(key, through: nil, to: subscriber) else { return await replays.end(key) }
      } catch {
        isKnown = false
      }
    }
    if let (live, initial) = await join(subscriber, subscription) {
      if isKnown, start.isPast { isKnown = await replayRest(key, through: live, to: subscriber) }
      subscriber.branch.perform { [isKnown] in
        if !isKnown { subscriber.send(Parcel(Frame.resync(live))) }
        if let initial, start == .fresh || !isKnown { subscriber.send(initial) }
        subscriber.release(at: live)
      }
    } else {
      subscriber.branch.perform { subscriber.finish(.schema) }
    }
    await replays.end(key)
  }

  /// Sends what came after the end of a replay, up to where others are; false: it is not known.
  private nonisolated func replayRest(
    _ key: ObjectIdentifier, through live: LogPosition, to subscriber: Subscriber
  ) async -> Bool {
    do throws(StorageError) {
      _ = try await replay(key, through: live, to: subscriber)
      return true
    } catch {
      return false
    }
  }

  /// Sends what a replay has up to a position, or, where none is given, to where others are; false: the client is gone.
  ///
  /// Pieces without events say how far they go: a client that loses its connection comes back there.
  private nonisolated func replay(
    _ key: ObjectIdentifier, through last: LogPosition?, to subscriber: Subscriber
  ) async throws(StorageError) -> Bool {
    while true {
      let live = LogPosition(version: isAwake.load(ordering: .relaxed) ? told.load(ordering: .relaxed) : .max)
      switch try await replays.next(key, through: last ?? live) {
      case .preparing: guard await send(Parcel(), to: subscriber) else { return false }
      case .events(let parcel, let position):
        let parcel = parcel.bytes.isEmpty ? Parcel(Frame.position(position)) : parcel
        guard await send(parcel, to: subscriber) else { return false }
      case .end(let parcel): return await send(parcel, to: subscriber)
      }
    }
  }

  /// Returns when the client has taken it; false: it is gone.
  private nonisolated func send(_ parcel: Parcel, to subscriber: Subscriber) async -> Bool {
    await withCheckedContinuation { continuation in
      subscriber.branch.perform {
        if !parcel.bytes.isEmpty { subscriber.send(parcel) }
        subscriber.wait(continuation)
      }
    }
  }

  /// Lets the subscriber be told of everything behind the position that this returns, with what is there by then if
  /// a place is watched; nil: what it watches has no meaning in the schema as it is.
  private func join(
    _ subscriber: Subscriber, _ subscription: Subscription
  ) -> (live: LogPosition, initial: Parcel?)? {
    guard let (number, watch) = enter(subscriber.branch, subscription) else { return nil }
    subscriber.branch.post([.join(subscriber, group: number)], through: watch.reached)
    return (watch.reached, initial(number, watch))
  }

  /// Counts a subscriber in whose results are kept elsewhere; nil: they have no meaning in the schema as it is.
  private func joinResults(_ subscriber: Subscriber, _ subscription: Subscription) -> Int? {
    enter(subscriber.branch, subscription)?.number
  }

  private func enter(_ branch: Branch, _ subscription: Subscription) -> (number: Int, watch: Watch)? {
    wake()
    tellAll()
    guard let watch, let number = number(of: subscription, in: watch) else { return nil }
    let key = ObjectIdentifier(branch)
    members[number]?.branches[key] = branch
    members[number]?.count += 1
    branches[key] = branch
    return (number, watch)
  }

  private func initial(_ number: Int, _ watch: Watch) -> Parcel? {
    guard let group = members[number]?.group, case .place = group.subscription.scope else { return nil }
    do throws(StorageError) {
      return try reader.snapshot { (snapshot) throws(StorageError) in
        // What has been committed meanwhile is for later.
        try watch.look(snapshot)
        return try watch.initial(of: group, snapshot)
      }
    } catch {
      recover(from: error)
      return nil
    }
  }

  private func wake() {
    guard watch == nil else { return }
    told.store(store.version, ordering: .relaxed)
    isAwake.store(true, ordering: .sequentiallyConsistent)
    store.keepTail(true)
    guard let position = try? reader.snapshot({ LogPosition(version: $0.version) }) else { return }
    watch = watch(from: position)
  }

  private func number(of subscription: Subscription, in watch: Watch) -> Int? {
    if let number = numbers[subscription] { return number }
    guard let bound = try? subscription.bound(in: watch.schema) else { return nil }
    lastNumber += 1
    let group = Group(number: lastNumber, subscription, bound)
    members[lastNumber] = Members(group: group)
    numbers[subscription] = lastNumber
    watch.add(group, bound)
    return lastNumber
  }

  /// A subscriber of that group is gone. Called on its loop.
  nonisolated func leave(_ group: Int) {
    Task { await didLeave(group) }
  }

  private func didLeave(_ number: Int) {
    guard var found = members[number] else { return }
    found.count -= 1
    guard found.count == 0 else {
      members[number] = found
      return
    }
    members[number] = nil
    numbers[found.group.subscription] = nil
    watch?.remove(found.group)
    if found.group.subscription.results != nil { Task { await results.forget(number) } }
    if members.isEmpty { sleep() }
  }

  /// Nobody watches: commits are no concern any more.
  private func sleep() {
    isAwake.store(false, ordering: .sequentiallyConsistent)
    store.keepTail(false)
    watch = nil
    branches = [:]
  }
}
