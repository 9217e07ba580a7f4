/// The next thing that a node has to do; the outcome is told to ``MemberState``.
public enum MemberAction: Hashable, Sendable {
  /// Read entries, ``MemberState/didRead(_:at:)`` or ``MemberState/didFailToRead(at:)``.
  case read(after: UInt64, patience: Duration)
  /// Append an entry, ``MemberState/didAppend(_:at:)``.
  case append(AppendRequest)
  /// Have the store apply rows; where that fails ``MemberState/stop(_:)`` or ``MemberState/didFailToApply(at:)``.
  case apply(EntryRows)
  /// Have the store follow, ``MemberState/didFollow(from:at:)``.
  case follow(leader: String?)
  /// Tell the store of another leader.
  case changeLeader(String?)
  /// Have the store lead.
  case lead(epoch: UInt64)
  /// Have the store replaced by a copy, ``MemberState/didFollow(from:at:)`` or ``MemberState/didFailToRead(at:)``.
  case fetchSnapshot(atLeast: UInt64)
  /// Have the store keep its place, which nothing depends on.
  case note(LogPoint, whileLeading: Bool)
  /// Wait until the time has passed or something has happened.
  case wait(Duration)
  /// Nothing any more.
  case stop(StopReason)
}

/// An entry to append.
public struct AppendRequest: Hashable, Sendable {
  public let bytes: [UInt8]
  public let expected: UInt64
  public let identity: String
}
