internal import GatehouseBSON

/// The subjects and the contents of requests to JetStream about one stream.
///
/// Source: <https://docs.nats.io/reference/reference-protocols/nats_api_reference>.
struct StreamRequests: Sendable {
  /// The name of the stream.
  let stream: String
  /// The subject that entries are published to.
  let subject: String

  init(_ name: LogName) {
    stream = "gatehouse-\(name.text)"
    subject = "gatehouse.log.\(name.text)"
  }

  var information: String { "$JS.API.STREAM.INFO.\(stream)" }
  var creation: String { "$JS.API.STREAM.CREATE.\(stream)" }
  var deletion: String { "$JS.API.STREAM.DELETE.\(stream)" }
  var message: String { "$JS.API.STREAM.MSG.GET.\(stream)" }
  var consumer: String { "$JS.API.CONSUMER.CREATE.\(stream)" }

  func next(_ consumer: String) -> String { "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)" }

  func removal(_ consumer: String) -> String { "$JS.API.CONSUMER.DELETE.\(stream).\(consumer)" }

  /// The content of ``creation``.
  func settings(_ options: NATSOptions) -> [UInt8] {
    let settings: Document = [
      "name": .string(stream), "subjects": .array([.string(subject)]), "retention": .string("limits"),
      "discard": .string("old"), "storage": .string("file"), "max_consumers": .int32(-1),
      "max_msgs": .int64(-1),
      "max_bytes": .int64(options.logSize), "max_age": .int64(0), "max_msgs_per_subject": .int64(-1),
      "max_msg_size": .int64(Int64(Entry.sizeLimit) + 1_024), "num_replicas": .int32(Int32(options.replicas)),
      "duplicate_window": .int64(120_000_000_000), "deny_delete": .bool(true), "deny_purge": .bool(true),
      "allow_direct": .bool(false),
    ]
    return Value.document(settings).json
  }

  /// The content of ``consumer``: one that nobody has to acknowledge to, kept by one server, and gone when nobody asks it.
  func consumerSettings(after position: UInt64) -> [UInt8] {
    let settings: Document = [
      "deliver_policy": .string("by_start_sequence"), "opt_start_seq": .int64(Int64(clamping: position) + 1),
      "ack_policy": .string("none"), "replay_policy": .string("instant"), "num_replicas": .int32(1),
      "mem_storage": .bool(true), "inactive_threshold": .int64(30_000_000_000),
    ]
    return Value.document(["stream_name": .string(stream), "config": .document(settings)]).json
  }

  /// The content of ``message``.
  func sequence(_ position: UInt64) -> [UInt8] {
    Value.document(["seq": .int64(Int64(clamping: position))]).json
  }

  /// The content of ``next(_:)``: so many messages within the time, and a sign of life so often.
  static func pull(_ count: Int, expires: Duration, heartbeat: Duration) -> [UInt8] {
    let pull: Document = [
      "batch": .int32(Int32(count)), "max_bytes": .int64(8 << 20),
      "expires": .int64(Int64(clamping: expires.nanoseconds)),
      "idle_heartbeat": .int64(Int64(clamping: heartbeat.nanoseconds)),
    ]
    return Value.document(pull).json
  }
}
