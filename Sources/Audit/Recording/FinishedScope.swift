/// A scope that has ended, with what has happened in it.
public struct FinishedScope: Sendable {
  let trail: Trail
  let activity: String
  let metadata: Metadata
  let recorder: Recorder

  /// Stores the events, and returns when that is durable.
  public func store() async throws {
    try await recorder.store(trail, activity: activity, metadata: metadata)
  }
}
