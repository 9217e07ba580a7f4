import GatehouseOutbound

/// Why a server's metrics cannot be read.
enum MetricsError: Error, Hashable, Sendable {
  case unanswered(ClientError, url: String)
  case refused(status: Int, url: String)

  var text: String {
    switch self {
    case .unanswered(let error, let url): "\(url) does not answer: \(error.text)"
    case .refused(let status, let url) where status == 401 || status == 403:
      "\(url) needs a key (\(status)): GATEHOUSE_ADMIN_KEY, or one of the role metrics in its place"
    case .refused(let status, let url): "\(url) answers \(status)"
    }
  }
}
