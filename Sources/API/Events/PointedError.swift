import GatehouseBSON

/// An error of something that a content asks for, with its place in the content.
struct PointedError: ProblemRepresentable {
  private let error: any Error
  private let pointer: String

  init(_ error: any Error, pointer: String) {
    self.error = error
    self.pointer = pointer
  }

  /// The problem of the error, each of whose entries is at the place.
  var problem: Problem {
    var problem = Problem(error)
    let place = Problem.Entry.Place.pointer(pointer, line: nil)
    problem.errors = problem.errors.map {
      Problem.Entry(place, $0.code, detail: $0.detail, expectation: $0.expectation)
    }
    if problem.errors.isEmpty {
      problem.errors = [Problem.Entry(place, problem.code.rawValue, detail: problem.detail)]
    }
    return problem
  }
}
