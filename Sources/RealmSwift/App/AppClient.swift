import Foundation
import GatehouseBSON
import Synchronization

/// Sends the requests of an app to its server, in the protocol of App Services' clients.
final class AppClient: Sendable {
  let appID: String
  let settings: AppSettings
  /// The address that the server names, once it was asked.
  private let hostname = Mutex<String?>(nil)
  /// The address that the program has gone over to; nil: that of ``settings``.
  private let base = Mutex<String?>(nil)
  private let locating = SharedOperation<String>()

  private static let interface = "/api/client/v2.0"

  init(_ appID: String, _ settings: AppSettings) {
    self.appID = appID
    self.settings = settings
  }

  /// The path of the app behind that of the interface.
  var appPath: String { "/app/\(AppRequest.escaped(appID))" }

  /// Returns the content of the answer to a request, with a token if there is one; null: there is no content.
  func send(
    _ request: AppRequest, token: String? = nil
  ) async throws(RLMAppError) -> GatehouseBSON.Value {
    let address = try await address()
    return try await send(request, to: address, token: token)
  }

  /// The URL of a path of the interface, at the address that the server names.
  func url(of path: String) async throws(RLMAppError) -> String {
    "\(try await address())\(Self.interface)\(path)"
  }

  /// The address that the server names, which is asked for before all else.
  private func address() async throws(RLMAppError) -> String {
    if let known = hostname.withLock({ $0 }) { return known }
    return try await locating.run { () async throws(RLMAppError) in
      let address = try await self.location(at: self.baseURL)
      self.hostname.withLock { $0 = address }
      return address
    }
  }

  /// Returns the address that the server at another one names.
  private func location(at base: String) async throws(RLMAppError) -> String {
    let request = AppRequest(.get, "\(appPath)/location")
    let address = try await send(request, to: base, token: nil).requireText("hostname")
    return AppSettings.address(address)
  }

  /// The address at which the app is asked for.
  var baseURL: String { base.withLock { $0 } ?? settings.baseURL }

  /// Goes over to another address of the app, if a server there names one.
  func move(to base: String) async throws(RLMAppError) {
    let address = try await location(at: base)
    self.base.withLock { $0 = base }
    hostname.withLock { $0 = address }
  }

  private func send(
    _ request: AppRequest, to address: String, token: String?
  ) async throws(RLMAppError) -> GatehouseBSON.Value {
    let answer = try await exchange(request, address, token)
    if let error = RLMAppError(answer) { throw error }
    return answer.value ?? .null
  }

  private func exchange(
    _ request: AppRequest, _ address: String, _ token: String?
  ) async throws(RLMAppError) -> AppAnswer {
    let message = RLMRequest()
    message.method = request.method
    message.url = "\(address)\(Self.interface)\(request.path)"
    message.headers = ["Accept": "application/json", "Content-Type": "application/json;charset=utf-8"]
    if let token { message.headers["Authorization"] = "Bearer \(token)" }
    if let content = request.content { message.body = String(decoding: content.extendedJSON, as: UTF8.self) }
    message.timeout = Double(settings.timeout) / 1000
    let result: Result<AppAnswer, RLMAppError> = await withCheckedContinuation { continuation in
      settings.transport.sendRequest(toServer: message) { response in
        guard response.customStatusCode == 0 else {
          let text = response.body.isEmpty ? "non-zero custom status code considered fatal" : response.body
          return continuation.resume(returning: .failure(RLMAppError(.httpRequestFailed, text)))
        }
        continuation.resume(returning: .success(AppAnswer(response)))
      }
    }
    return try result.get()
  }
}
