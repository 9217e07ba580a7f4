/// The bounds on one connection's memory and time. Sizes in bytes.
public struct Limits: Hashable, Sendable {
  /// The request line without its end.
  public var requestLine = 16_384
  /// Request line and field lines together; also the trailers of a chunked body.
  public var head = 32_768
  /// Field lines of one head.
  public var fieldCount = 100
  /// The content of one request.
  public var content = 64 << 20
  /// One chunk-size line with its extensions.
  public var chunkLine = 256
  /// Content of up to this size is read whole before the handler is called.
  public var gatheredContent = 16_384
  /// Unread content of up to this size is skipped to keep the connection after an early response.
  public var skippedContent = 65_536

  /// From the first byte of a head to its last.
  public var headTime: Duration = .seconds(10)
  /// Without a request.
  public var idleTime: Duration = .seconds(75)
  /// The time in which ``minimumProgress`` bytes must have come, or gone, while the peer is what we wait for.
  public var progressTime: Duration = .seconds(15)
  /// The floor under slow senders and slow readers, per ``progressTime``.
  public var minimumProgress = 4_096
  /// From when a client closes its side to when it is asked whether it still waits for its answer.
  public var probeTime: Duration = .milliseconds(100)
  /// After the last response, for the client to close its side.
  public var lingerTime: Duration = .seconds(2)

  /// Requests that one connection may make.
  public var requestsPerConnection = 1_000_000
  /// Requests of one connection that are answered in a row before other connections have their turn.
  public var pipelinedRequests = 128
  /// Output that may wait for a slow reader before no more requests are read and producers are held.
  public var bufferedOutput = 65_536
  /// Content that may wait for a slow handler before no more is read.
  public var bufferedContent = 131_072

  public init() {}
}
