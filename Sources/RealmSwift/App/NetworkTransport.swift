public import Foundation
import GatehouseOutbound

/// The method of a request.
public enum RLMHTTPMethod: UInt, Sendable {
  /// Reads something.
  case get = 0
  /// Has something done.
  case post = 1
  /// Changes a part of something.
  case patch = 2
  /// Puts something in its place.
  case put = 3
  /// Deletes something.
  case delete = 4

  /// The method's name.
  var name: String {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .patch: "PATCH"
    case .put: "PUT"
    case .delete: "DELETE"
    }
  }
}

/// A request to the server of an app.
public final class RLMRequest {
  /// The method.
  public var method = RLMHTTPMethod.get
  /// The absolute URL.
  public var url = ""
  /// The fields of the head by their names.
  public var headers: [String: String] = [:]
  /// The content; empty: there is none.
  public var body = ""
  /// Seconds that it may take.
  public var timeout: TimeInterval = 60

  /// Makes a request of nothing.
  public init() {}
}

/// An answer of an app's server.
public final class RLMResponse {
  /// The status.
  public var httpStatusCode = 0
  /// A number other than 0 where there is no answer: ``body`` says why.
  public var customStatusCode = 0
  /// The fields of the head by their names.
  public var headers: [String: String] = [:]
  /// The content.
  public var body = ""

  /// Makes an answer of nothing.
  public init() {}
}

/// Is handed the answer to a request.
public typealias RLMNetworkTransportCompletionBlock = @Sendable (RLMResponse) -> Void

/// Sends the requests of an app, by libcurl. A subclass may answer them itself.
///
/// `@unchecked Sendable`. Because it has nothing that changes, and subclasses say of themselves that they may be shared.
open class RLMNetworkTransport: @unchecked Sendable {
  /// Every server: programs name their own.
  private static let client = HTTPClient(.all)
  /// The most bytes of an answer.
  private static let responseLimit = 64 << 20

  /// Makes a transport.
  public init() {}

  /// Sends a request, and hands its answer over, on any thread.
  open func sendRequest(
    toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
  ) {
    let message = Self.message(request)
    Task {
      let response = RLMResponse()
      do throws(ClientError) {
        let answer = try await Self.client.send(message)
        response.httpStatusCode = answer.status
        response.headers = Dictionary(
          answer.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        response.body = String(decoding: answer.content, as: UTF8.self)
      } catch {
        response.customStatusCode = 1
        response.body = RLMAppError.text(of: error)
      }
      completion(response)
    }
  }

  /// Sends a request whose answer goes on, and returns what ended it. The content of an answer that is none of an error is handed over
  /// piece by piece.
  func stream(
    _ request: RLMRequest, to take: @escaping @Sendable ([UInt8]) -> Void
  ) async throws(RLMAppError) -> AppAnswer {
    let message = Self.message(request)
    let answer: ClientResponse
    do throws(ClientError) { answer = try await Self.client.stream(message, to: take) } catch {
      throw RLMAppError(.httpRequestFailed, RLMAppError.text(of: error))
    }
    let response = RLMResponse()
    response.httpStatusCode = answer.status
    response.headers = ["Content-Type": answer.field("Content-Type") ?? ""]
    response.body = String(decoding: answer.content, as: UTF8.self)
    return AppAnswer(response)
  }

  /// The request as libcurl is told it.
  static func message(_ request: RLMRequest) -> ClientRequest {
    var message = ClientRequest(
      request.method.name, request.url,
      fields: request.headers.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) },
      content: request.body.isEmpty ? .none : .bytes(Array(request.body.utf8)))
    message.timeout = .seconds(request.timeout)
    message.responseLimit = responseLimit
    return message
  }
}
