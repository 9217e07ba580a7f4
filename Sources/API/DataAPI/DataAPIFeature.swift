import GatehouseBSON
import GatehouseHTTP

extension Feature {
  /// The Data API of App Services: commands on documents by HTTP, for programs without a driver.
  static let dataAPI = Feature(
    endpoints: [.runDataAction],
    errorFormat: ErrorFormat(path: "/app/") { error, request in
      if case APIError.unauthorized(.missing)? = error as? APIError {
        return Response(
          appServices: .unauthorized,
          [
            "error": .string("no authentication methods were specified"),
            "error_code": .string("InvalidParameter"),
          ])
      }
      return Problem.appServicesResponse(to: error, for: request)
    })
}
