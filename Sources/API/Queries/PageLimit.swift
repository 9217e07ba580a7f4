/// The bounds of the parameter `limit`, or of another that says how many objects there are to be.
struct PageLimit: Hashable, Sendable {
  /// The limit where the parameter is left out; nil: all objects.
  let standard: Int?
  private let largest: Int
  private let parameter: Parameters.Name

  /// An answer that is streamed has no bound of its own.
  init(_ mediaType: MediaType, _ limits: RequestLimits, parameter: Parameters.Name = .limit) {
    self.parameter = parameter
    standard = mediaType.isStreamed ? nil : limits.defaultPageSize
    largest = mediaType.isStreamed ? .max : limits.largestPageSize
  }

  /// Throws ``APIError/limitOutOfRange(_:maximum:)``.
  func limit(_ text: String) throws(APIError) -> Int {
    guard let number = Int64(text) else { throw .limitOutOfRange(parameter, maximum: largest) }
    return try limit(number)
  }

  /// Throws ``APIError/limitOutOfRange(_:maximum:)``.
  func limit(_ number: Int64) throws(APIError) -> Int {
    guard number >= 1, number <= largest else { throw .limitOutOfRange(parameter, maximum: largest) }
    return Int(number)
  }
}
