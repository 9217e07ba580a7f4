/// The bytes that a stream may hold while it is far behind, however much lies before it. Streams that come back side by
/// side hold as much for each of them.
///
/// One event, object or change that is larger is held as a whole.
public struct ReplayMemory: Hashable, Sendable {
  /// Changes of the log that have been read and not yet looked at.
  public var changes = 128 << 10
  /// Objects as they were, and which of them were not shown.
  public var states = 192 << 10
  /// Frames that are being written; as many are on their way to the client.
  public var frames = 64 << 10
  /// Frames that are kept for streams that come to the same place.
  public var shared = 192 << 10
  /// Pages of the file, and of the index of its log, that SQLite keeps.
  public var pages = 256 << 10

  public init() {}

  /// All of them; the array of the frames that are being written grows to twice what is in it, and the connection has a
  /// copy of what its client has not taken.
  public var total: Int { changes + states + 4 * frames + shared + pages }

  /// The bytes of images that are read in one go: as values they take up to sixteen times as much.
  var imageBytes: Int { changes / 16 }
  /// The changes that are read in one go.
  var changeCount: Int { max(1, changes / 512) }
}
