internal import GatehouseHTTP

/// The memory that the connections of a loop use one after the other, so that idle ones have none.
struct LoopBuffers: ~Copyable {
  /// The bytes that a socket brings.
  let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// The heads that are being read.
  var heads = HeadRoom()
  /// The responses that are being made.
  var writer: ResponseWriter
  /// The connection whose output is in ``writer``.
  var writing: SocketConnection?
  private(set) lazy var tls = TLSBuffers()

  /// `server` is the value of the `server` field of responses, nil: there is none.
  init(server: String?) {
    writer = ResponseWriter(server: server)
  }

  deinit {
    input.deallocate()
  }
}
