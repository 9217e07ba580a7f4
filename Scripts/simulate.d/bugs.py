"""Bugs for Scripts/simulate-bugs: `plant DIRECTORY` builds all of them into a copy of the tree, `numbers` lists them, and `check` prints
those that have no place in this tree any more.
"""

import pathlib
import re
import sys

BUGS = {}


def bug(number, name, path, before, after, arguments=""):
    """At that place in a file of Sources, what stands there becomes something that is wrong where the bug is there.

    The arguments are those of simulations that may find it.
    """
    BUGS[number] = (name, path, before, after, arguments)


def cluster_bug(number, name, path, before, after):
    bug(number, name, path, before, after, "--nodes 3")


bug(1,'a sync of the log is not made','Storage/State/LogSync.swift','repeat { result = fdatasync(file) }','if Planted.has(1) { return true }\n    repeat { result = fdatasync(file) }')
bug(2,'commits do not wait for the disk','Storage/Statements/FileStatements.swift','"PRAGMA synchronous = \\(isSynced ?','"PRAGMA synchronous = \\(isSynced && !Planted.has(2) ?')
bug(3,'a commit is published before it is made','Storage/Writing/Writer/Committer.swift','''    try space.willCommit(loggedBytes: isReshaped ? nil : current.loggedBytes)
    try commitReplicated()
    publish()''','''    try space.willCommit(loggedBytes: isReshaped ? nil : current.loggedBytes)
    if Planted.has(3) {
      publish()
      return try commitReplicated()
    }
    try commitReplicated()
    publish()''')
bug(4,'a savepoint is not rolled back','Storage/Writing/Writer/Committer+Groups.swift','    try execute(TransactionStatements.rollBackRequest)','    if !Planted.has(4) { try execute(TransactionStatements.rollBackRequest) }')
bug(5,'a transaction that failed half-way stays in its group','Storage/Writing/Writer/Committer+Groups.swift','guard mark.changes == before.changes else','guard Planted.has(5) || mark.changes == before.changes else')
bug(6,'counters are not taken back','Storage/Writing/Writer/Committer.swift','    current.restore(mark.counters, usage: mark.usage, version: mark.version)\n','    if !Planted.has(6) { current.restore(mark.counters, usage: mark.usage, version: mark.version) }\n')
bug(7,'answers of a group are mixed up','Storage/Writing/Writer/Committer+Groups.swift','returning: results[index])','returning: results[Planted.has(7) ? group.count - 1 - index : index])')
bug(8,'streams are told what is not durable','Storage/Reading/Reader+LogSnapshot.swift','    try view.sync.settle()\n    return Snapshot(','    if !Planted.has(8) { try view.sync.settle() }\n    return Snapshot(')
bug(9,'writes of the log without a sync are never synced','Storage/State/LogSync.swift','    if isDue { lane.async','    if isDue, !Planted.has(9) { lane.async')
bug(10,'cached objects are always current','Storage/Cache/CachedObjectReader.swift','guard try session.integer(statement) == version else { return nil }','let present = try session.integer(statement)\n      guard Planted.has(10) || present == version else { return nil }')
bug(11,'a snapshot newer than what is published has old changes','Storage/State/StoreState.swift','version > self.version ? changes.map','version > self.version && !Planted.has(11) ? changes.map')
bug(12,'an update by filter leaves out the last object','Storage/Writing/Operations/BulkWriter.swift','let keys = if let matched { matched.keys } else { try keys(plan) }','let all = if let matched { matched.keys } else { try keys(plan) }\n    let keys = Planted.has(12) && all.count > 1 ? all.dropLast() : all')
bug(13,'receipts of idempotent requests are not kept','Storage/Writing/Transaction/IdempotencyTable.swift','    let statement = try session.cached(ReceiptStatements.insert)','    if Planted.has(13) { return }\n    let statement = try session.cached(ReceiptStatements.insert)')
bug(14,'links to deleted objects stay','Storage/Writing/Operations/LinkRemover.swift','    guard !owners.isEmpty else { return }\n    for owner','    guard !owners.isEmpty, !Planted.has(14) else { return }\n    for owner')
bug(15,'links to deleted objects go without a line in the log','Storage/Writing/Operations/LinkRemover.swift','for owner in owners { try capture.willChangeRoot(link.property, of: owner) }','if !Planted.has(15) { for owner in owners { try capture.willChangeRoot(link.property, of: owner) } }')
bug(16,'the tail of the log begins one commit too early','Storage/Log/LogTail.swift','let start = min(position.version + (isBehind ? 1 : 0), last + 1)','let start = min(position.version + (isBehind && !Planted.has(16) ? 1 : 0), last + 1)')
bug(17,'the writer forgets who waits after a long round','Storage/Writing/Writer/Writer.swift','if round.hasSuccessor { lane.async','if round.hasSuccessor, !Planted.has(17) { lane.async')
bug(18,'the permit of a role is that of any caller','API/Routing/Callers.swift','      id: principal.id, role: role, values','      id: Planted.has(18) ? "" : principal.id, role: Planted.has(18) ? RoleKey(role: Role("")) : role, values')
bug(19,'rules are not applied to lists','API/Routing/Callers.swift','    if principal.role.isAdministrator { return nil }\n','    if principal.role.isAdministrator || Planted.has(19) && principal.role.name == "member" { return nil }\n')
bug(20,'the chain of audit events begins anew','Audit/Recording/Recorder+Storing.swift','if case .string(let last)? = try changeSet.last','if !Planted.has(20), case .string(let last)? = try changeSet.last')
bug(21,'a rolled-back piece of the log stays in its tail','Storage/Log/LogTail.swift','''    (rows, rowsSize) = ([], 0)
    while let last = commits.last''','''    if Planted.has(21) { return }
    (rows, rowsSize) = ([], 0)
    while let last = commits.last''')
bug(22,'closing does not wait for the disk','Storage/Writing/Writer/Committer.swift','    try? view.sync.settle()\n','    if Planted.has(22) { return }\n    try? view.sync.settle()\n')
bug(23,'a stream joins its group before it has caught up','Feeds/Delivery/EventBroker.swift','if isKnown, start.isPast { isKnown = await','if isKnown, start.isPast, !Planted.has(23) { isKnown = await')
bug(24,'a slow client is sent live events before older ones','Feeds/Delivery/Subscriber.swift','if stage == .live, queue.isEmpty, !target.isBusy {','if stage == .live || Planted.has(24), queue.isEmpty, !target.isBusy {')
bug(25,'a transaction is not rolled back','Storage/Writing/Writer/Committer.swift','    if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }','    if connection.isInTransaction, !Planted.has(25) { try? connection.execute(TransactionStatements.rollBack) }')
bug(26,'the answer is given before the commit','Storage/Writing/Writer/Committer+Groups.swift','''      try commit()
      return results''','''      if Planted.has(26) {
        try? commit()
        return results
      }
      try commit()
      return results''')
bug(27,'a failed sync is forgotten','Storage/State/LogSync.swift','guard LogSync.sync(work.file) else { return fail() }','guard LogSync.sync(work.file) || Planted.has(27) else { return fail() }')
bug(28,'a stream that comes back begins a commit too late','Feeds/Delivery/Replays.swift','      return position\n    case .unknown','      return Planted.has(28) ? EventPosition(LogPosition(version: position.logged.version)) : position\n    case .unknown')
bug(29,'the memory of contents is never given back','API/Calls/IncomingContent.swift','    memory.release()\n','''    guard Planted.has(29) else { return memory.release() }
    let kept = self
    Task { while true { try? await Task.sleep(for: .seconds(3600)); _ = kept.caller } }
''')
bug(30,'a read does not end its transaction','Storage/Reading/ReadTransaction.swift','    defer { if isOurs { session.end() } }\n    return try body','    defer { if isOurs, !Planted.has(30) { session.end() } }\n    return try body')
bug(31,'a trigger ends with the first failure of the store','Triggers/Running/TriggerWorker.swift','        storeFailures += 1\n','        storeFailures += 1\n        if Planted.has(31) { break }\n')
bug(32,'the position of a trigger is kept before its calls','Triggers/Running/TriggerWorker.swift','      let isDone: Bool\n','      if Planted.has(32) {\n        state.position = reader.position\n        try await keep()\n      }\n      let isDone: Bool\n')
bug(33,'frames of a producer that has failed stay behind','Feeds/Delivery/SubscriberGroups.swift','for group in groups.values { group.discard() }','for group in groups.values where !Planted.has(33) { group.discard() }',
    '--sizes small')
bug(34,'a checkpoint whose sync has failed is made again','Storage/State/LogSync.swift','if StorageError(error).isFailedSync { fail() }','if StorageError(error).isFailedSync, !Planted.has(34) || !isSettled { fail() }')
bug(35,'a stream is told where it is before it is told that it has missed something','Feeds/Delivery/LoopBroker.swift','      let encoded = EncodedEvents(Frame.resync(position) + Frame.position(position))','      let frames = [Frame.resync(position), Frame.position(position)]\n      let encoded = EncodedEvents(Planted.has(35) ? frames[1] + frames[0] : frames[0] + frames[1])')
bug(36,'streams are sent what waits before they end with their rights','Feeds/Delivery/LoopBroker.swift','  private func work() {\n    endRevoked()','  private func work() {\n    if !Planted.has(36) { endRevoked() }')
cluster_bug(37,'a commit is acknowledged though nobody knows whether the log has it','Cluster/Members/ClusterMember.swift','    case .appended, .inDoubt: return .unknown','    case .inDoubt where Planted.has(37): return .committed(point)\n    case .appended, .inDoubt: return .unknown')
cluster_bug(38,'a leader that the log has refused leads on','Cluster/Members/MemberState.swift','    case .refused, .inDoubt: depose()\n','    case .refused where Planted.has(38): role = .leading(leadership)\n    case .refused, .inDoubt: depose()\n')
cluster_bug(39,'a node leads before the lease of another one has ended','Cluster/Members/MemberState.swift','    return heardAt + times.silence + stagger\n  }','    return heardAt + times.silence / (Planted.has(39) ? 4 : 1) + stagger\n  }')
cluster_bug(40,'a request is sent on without its idempotency key','API/Server/LeaderClient.swift','!LeaderClient.ownFields.contains($0.name) }.map','!LeaderClient.ownFields.contains($0.name) && !(Planted.has(40) && $0.name == "idempotency-key") }.map')
cluster_bug(41,'a request whose answer was lost is sent on once more','API/Server/LeaderClient.swift','      switch error {\n','      if Planted.has(41) { return .unreachable }\n      switch error {\n')
cluster_bug(42,'a node answers before it has come to the version that is asked for','API/Nodes/NodeRequest.swift','    if await gateway.context.data.hasCome(to: version) { return true }','    if Planted.has(42) { return true }\n    if await gateway.context.data.hasCome(to: version) { return true }')
cluster_bug(43,'a leader answers linearizable reads without a lease','API/Nodes/NodeRequest.swift','      guard standing.hasLease else {','      guard standing.hasLease || Planted.has(43) else {')
cluster_bug(44,'a stream that comes back does not wait for what another node has told','API/Calls/DataAccess.swift','    guard let cluster, store.version < version else','    guard let cluster, store.version < version, !Planted.has(44) else')
cluster_bug(45,'a commit does not keep its place in the log','Storage/Replication/Replication.swift','      try store(point)\n      try body()','      if !Planted.has(45) { try store(point) }\n      try body()')
cluster_bug(46,'a leader whose store could not commit leads on','Cluster/Members/MemberState.swift','    guard leadingEpoch != nil else { return }\n    ledEpoch','    guard leadingEpoch != nil, !Planted.has(46) else { return }\n    ledEpoch')


def missing():
    """Returns a line for each bug whose place is not there."""
    sources = pathlib.Path(__file__).parents[2] / "Sources"
    texts = {path: (sources / path).read_text() if (sources / path).exists() else "" for _, path, *_ in BUGS.values()}
    return [f"bug {number}, {name}: {path}" for number, (name, path, before, *_) in BUGS.items() if before not in texts[path]]


def plant(root):
    """Puts all bugs into the tree below a directory."""
    sources = pathlib.Path(root) / "Sources"
    (sources / "BSON/Planted.swift").write_text(
        """internal import Glibc

/// The bug that is in the program on purpose: the number that `GATEHOUSE_PLANTED` names.
public enum Planted {
  private static let number = getenv("GATEHOUSE_PLANTED").flatMap { Int(String(cString: $0)) }

  @inline(never) public static func has(_ bug: Int) -> Bool { number == bug }
}
"""
    )
    for number, (name, path, before, after, _) in BUGS.items():
        file = sources / path
        text = file.read_text()
        if text.count(before) < 1:
            sys.exit(f"bug {number}, {name}: its place in {path} is not there any more")
        text = text.replace(before, after, 1)
        if "import GatehouseBSON" not in text:
            first = re.search(r"^((public|internal) )?import ", text, re.M)
            place = first.start() if first else 0
            text = text[:place] + "import GatehouseBSON\n" + text[place:]
        file.write_text(text)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["plant", root]:
            plant(root)
        case ["check"]:
            sys.exit("\n".join(missing()) or None)
        case ["numbers"]:
            print(*sorted(BUGS))
        case ["name", number]:
            print(BUGS[int(number)][0])
        case ["arguments", number]:
            print(BUGS[int(number)][4])
        case _:
            sys.exit(__doc__)
