import GatehouseHTTP

/// The use of an app by one request, which ends with the value: until then the app stays open.
final class AppLease: Sendable {
  let app: OpenApp
  private let apps: Apps

  /// Made by ``Apps``, which has counted it.
  init(_ app: OpenApp, of apps: Apps) {
    (self.app, self.apps) = (app, apps)
  }

  deinit { apps.endLease(of: app) }
}

extension Response {
  /// Has the content keep the lease until it has been sent.
  mutating func keep(_ lease: AppLease) {
    switch body {
    case .empty, .bytes: break
    case .stream(let write):
      body = .stream { writer in
        try await write(writer)
        withExtendedLifetime(lease) {}
      }
    case .pushed(let source): body = .pushed(LeasedSource(source, lease))
    }
  }
}

/// A source of pushed pieces that keeps an app open.
private final class LeasedSource: PushSource {
  private let source: any PushSource
  private let lease: AppLease

  init(_ source: any PushSource, _ lease: AppLease) {
    (self.source, self.lease) = (source, lease)
  }

  func start(_ sink: any PushSink) { source.start(sink) }
  func resume() { source.resume() }
  func end() { source.end() }
}
