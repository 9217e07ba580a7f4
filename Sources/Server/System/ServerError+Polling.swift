internal import GatehousePolling

extension ServerError {
  init(_ error: PollingError) {
    self = .system(call: error.call, code: error.code)
  }
}
