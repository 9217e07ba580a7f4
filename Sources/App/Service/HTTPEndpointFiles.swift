import GatehouseAPI
import GatehouseBSON
import Glibc

/// Keeps the HTTPS endpoints as `http_endpoints/config.json` says, in App Services' layout, while the server runs.
struct HTTPEndpointFiles: WatchedFiles {
  private let path: String
  private let auth: AuthFolder
  private let endpoints: HTTPEndpoints
  /// Told of a file that is of no use.
  private let warn: @Sendable (String) -> Void

  init(
    _ dataDirectory: String, _ endpoints: HTTPEndpoints,
    warn: @escaping @Sendable (String) -> Void = { Service.warn($0) }
  ) {
    path = "\(dataDirectory)/http_endpoints/config.json"
    auth = AuthFolder(dataDirectory)
    self.endpoints = endpoints
    self.warn = warn
  }

  var stamp: FileStamp { FileStamp(of: [path], filesIn: auth.secrets) }

  /// Reads the file; none where there is no file. Throws ``CommandError``.
  func read() throws -> [HTTPEndpoint] {
    guard access(path, F_OK) == 0 else { return [] }
    let notation = try JSONFile.value(at: path)
    do throws(ConfigurationError) {
      return try HTTPEndpoint.endpoints(notation: notation, secret: auth.secret)
    } catch {
      throw CommandError.of(error, in: path)
    }
  }

  func reload() async {
    do { endpoints.use(try read()) } catch {
      warn("\(FailureText.of(error)) (the old endpoints stay)")
    }
  }
}
