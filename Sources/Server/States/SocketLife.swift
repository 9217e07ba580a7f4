/// How far a connection has come in its life.
enum SocketLife: Hashable {
  case open
  /// Our side has been shut down after the last response; the client may still read it, and sends what is dropped.
  case shutDown
  /// The descriptor is gone.
  case closed
}
