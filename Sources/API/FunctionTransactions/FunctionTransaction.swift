import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization

/// A transaction that a function makes of several commands: one state of the store that its reads see, and the writes that are
/// committed at its end. The writer is not held: others commit meanwhile, and a write to what they have changed fails.
///
///     open ──close()──▶ closed, its writes are the caller's to commit
///       └──the last reference goes──▶ nothing has happened
final class FunctionTransaction: Sendable {
  /// The most operations of a transaction, all of which are performed anew with each command that writes.
  static let mostOperations = 1_000
  /// The most bytes of all objects that a transaction has written.
  static let mostBytes = 16 << 20

  /// The objects that a transaction has written, by class and identifier: as they are in it, as BSON; nil: they are not there, or
  /// not for the caller.
  typealias Writes = [String: [Mixed: [UInt8]?]]

  private struct State {
    var snapshot: PinnedReader?
    var operations: [Operation] = []
    var writes: Writes = [:]
    var isOpen = true
    var group: String?
    /// Whether another node performs its commands, since that one leads the group; nil: there has been none.
    var isElsewhere: Bool?
    /// Whether the other node has answered a command, and so knows of it.
    var isKnownElsewhere = false
    /// Has the other node forget it.
    var abandon: (@Sendable () -> Void)?
  }

  /// A name that no other transaction has, whichever node has begun it.
  let id: String

  /// Who makes it: all of it is done with their rights.
  let principal: Principal
  private let state = Mutex(State())

  init(of principal: Principal, id: String = ObjectID.generate().description) {
    (self.principal, self.id) = (principal, id)
  }

  deinit { state.withLock(\.abandon)?() }

  /// Returns whether another node performs its commands, and whether this one begins it there: of several at once, none knows which comes
  /// first.
  ///
  /// - Parameter isElsewhere: Whether another node leads the group of the first command.
  func place(ofFirst isElsewhere: Bool) -> (isElsewhere: Bool, begins: Bool) {
    state.withLock { state in
      let isElsewhere = state.isElsewhere ?? isElsewhere
      state.isElsewhere = isElsewhere
      precondition(
        isElsewhere ? state.operations.isEmpty && state.snapshot == nil : !state.isKnownElsewhere,
        "one node performs all of a transaction")
      return (isElsewhere, isElsewhere && !state.isKnownElsewhere)
    }
  }

  /// Takes note that the other node has answered. Has `abandon` be called where the transaction ends without an outcome; nil: it has one,
  /// which the other node knows.
  func onAbandonment(_ abandon: (@Sendable () -> Void)?) {
    state.withLock { state in
      precondition(state.isElsewhere == true, "another node answers what it performs")
      (state.abandon, state.isKnownElsewhere) = (abandon, true)
    }
  }

  var writes: Writes { state.withLock { $0.writes } }

  /// The group of classes that its commands are about; nil: there has been none, or there are no groups.
  var group: String? { state.withLock(\.group) }

  /// Takes note of the group of classes that a command is about. Throws ``FunctionTransactionError/severalGroups`` where another one was
  /// about another group.
  func bind(to group: String) throws(FunctionTransactionError) {
    let bound = state.withLock { state in
      let bound = state.group ?? group
      state.group = bound
      return bound
    }
    guard bound == group else { throw .severalGroups }
  }

  /// Returns what `body` reads of the state that the first read has seen. `present` says how long that may take.
  func read<Answer: Sendable>(as present: Reader, _ body: (Reader) throws -> Answer) throws -> Answer {
    let known = state.withLock { $0.snapshot }
    let made = try known ?? (try PinnedReader(beside: present))
    // A program may ask for several things at once: all of them see the state of whichever was first.
    let snapshot = try state.withLock { state in
      guard state.isOpen else { throw FunctionTransactionError.noTransaction }
      let snapshot = state.snapshot ?? made
      state.snapshot = snapshot
      precondition(state.isElsewhere != true, "another node's transaction reads no state of a store here")
      return snapshot
    }
    return try snapshot.read(as: present, body)
  }

  /// Adds operations. `rehearse` performs all of the transaction, leaves nothing of it, and returns objects as BSON.
  ///
  /// - Returns: the results of the new operations.
  /// - Throws: `OperationError` of the new operations, from 0; below that of those that were there before, which others' commits have made
  ///   impossible.
  func add(
    _ operations: [Operation], rehearse: ([Operation]) async throws -> Commit
  ) async throws -> Commit {
    let (all, isOpen) = state.withLock { ($0.operations + operations, $0.isOpen) }
    guard isOpen else { throw FunctionTransactionError.noTransaction }
    guard all.count <= FunctionTransaction.mostOperations else { throw FunctionTransactionError.tooLarge }
    let earlier = all.count - operations.count
    let commit: Commit
    do { commit = try await rehearse(all) } catch let error as OperationError {
      throw OperationError(operation: error.operation - earlier, reason: error.reason)
    }
    precondition(
      commit.results.count == all.count, "\(all.count) operations have \(commit.results.count) results")
    var (writes, bytes): (Writes, Int) = ([:], 0)
    for (operation, result) in zip(all, commit.results) {
      guard let objectType = operation.writtenClass else { continue }
      bytes += result.object?.count ?? 0
      let object = result.effect == .deleted ? nil : result.object
      writes[objectType, default: [:]].updateValue(object, forKey: result.id)
    }
    guard bytes <= FunctionTransaction.mostBytes else { throw FunctionTransactionError.tooLarge }
    // A program may ask for several things at once: what was added meanwhile is not in what was rehearsed.
    let isNext = state.withLock { state in
      guard state.isOpen, state.operations.count == earlier else { return false }
      (state.operations, state.writes) = (all, writes)
      precondition(
        state.isElsewhere != true && writes.values.reduce(0) { $0 + $1.count } <= all.count,
        "an object that is written is that of an operation here")
      return true
    }
    guard isNext else { throw FunctionTransactionError.noTransaction }
    return Commit(version: commit.version, results: Array(commit.results.dropFirst(earlier)))
  }

  /// Ends it, and returns its operations. Throws ``FunctionTransactionError/noTransaction`` where it has ended.
  func close() throws(FunctionTransactionError) -> [Operation] {
    let operations = state.withLock { state -> [Operation]? in
      guard state.isOpen else { return nil }
      state.isOpen = false
      state.snapshot = nil
      return state.operations
    }
    guard let operations else { throw .noTransaction }
    return operations
  }
}

/// Why a command is not part of a transaction.
enum FunctionTransactionError: Error, Hashable {
  /// There is no such transaction, or none any more.
  case noTransaction
  /// It has more operations, or larger objects, than ``FunctionTransaction`` may have.
  case tooLarge
  /// Too many transactions of the call are open.
  case tooMany
  /// It was begun with other rights than those of the one who goes on with it.
  case otherRights
  /// It is about the classes of several groups, which commit nothing together.
  case severalGroups

  /// MongoDB's name of the error where it has one, and a sentence.
  var text: String {
    switch self {
    case .noTransaction: "(NoSuchTransaction) There is no such transaction any more."
    case .tooLarge:
      "(TransactionTooLarge) A transaction has 1,000 changed documents at the most, and 16 MiB of them."
    case .tooMany: "(TooManyTransactions) A call has no more than 4 transactions open."
    case .severalGroups:
      "(OperationNotSupportedInTransaction) A transaction is about the classes of one group."
    case .otherRights: "(TransactionOfOthers) The transaction was begun with other rights."
    }
  }
}

extension Operation {
  /// The class of the one object that it writes; nil: it is another operation.
  fileprivate var writtenClass: String? {
    switch self {
    case .create(let name, _, _), .put(let name, _, _, _), .update(let name, _, _, _),
      .edit(let name, _, _, _), .delete(let name, _, _):
      name
    case .change, .each: nil
    }
  }
}
