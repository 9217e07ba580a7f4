import GatehouseFeeds
import GatehouseHTTP

/// The event streams of one class in all shards of a group, put together into one. Events of one shard are in the order of its log; the `id` of
/// each is the place in the logs of all shards.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its connection only.
final class ShardedEventStream: PushSource, @unchecked Sendable {
  /// The connection, as the stream of one shard sees it.
  ///
  /// `@unchecked Sendable`. Because it is touched on the loop of its connection only.
  private final class ShardSink: PushSink, @unchecked Sendable {
    private weak var stream: ShardedEventStream?
    private let shard: Int

    init(_ stream: ShardedEventStream, shard: Int) {
      (self.stream, self.shard) = (stream, shard)
    }

    var isBusy: Bool { stream?.sink?.isBusy ?? true }
    func push(_ bytes: [UInt8]) { stream?.push(bytes, from: shard) }
    func complete() { stream?.finish { $0.complete() } }
    func abort() { stream?.finish { $0.abort() } }
  }

  private let streams: [EventStream]
  private var frames: ShardFrames
  private var sink: (any PushSink)?
  /// The stream that is resumed first, another one each time: what it has may leave no room for others.
  private var first = 0

  init(_ streams: [EventStream], from starts: [StreamStart]) {
    precondition(
      !streams.isEmpty && streams.count == starts.count, "the stream of each shard has its beginning")
    self.streams = streams
    frames = ShardFrames(from: starts)
  }

  func start(_ sink: any PushSink) {
    precondition(self.sink == nil, "a stream is opened once")
    self.sink = sink
    for (shard, stream) in streams.enumerated() where self.sink != nil {
      stream.start(ShardSink(self, shard: shard))
    }
  }

  func resume() {
    first = (first + 1) % streams.count
    for stream in streams[first...] + streams[..<first] where sink?.isBusy == false { stream.resume() }
  }

  func end() {
    sink = nil
    for stream in streams { stream.end() }
  }

  private func push(_ bytes: [UInt8], from shard: Int) {
    let merged = frames.merged(bytes, from: shard)
    if !merged.isEmpty { sink?.push(merged) }
  }

  /// Ends the stream as that of the first shard ends that does.
  private func finish(_ body: (any PushSink) -> Void) {
    guard let sink else { return }
    end()
    body(sink)
  }
}
