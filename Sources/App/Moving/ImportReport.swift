/// The list of what an import of an app has taken, and what it could not take.
struct ImportReport {
  enum Outcome: String {
    case taken
    /// Taken, with something that somebody has to look at.
    case changed
    case refused
  }

  struct Item {
    let outcome: Outcome
    /// The file, with the line where that is known.
    let place: String
    let text: String
    /// The class that it is about; nil: it is about none.
    fileprivate let className: String?

    init(_ outcome: Outcome, _ text: String, in file: String, line: Int?, of className: String?) {
      (self.outcome, self.text, self.className) = (outcome, text, className)
      place = line.map { "\(file), line \($0)" } ?? file
    }
  }

  private(set) var items: [Item] = []

  mutating func add(_ item: Item) { items.append(item) }

  /// Forgets what was taken of a class.
  mutating func removeTaken(of className: String) {
    items.removeAll { $0.className == className && $0.outcome != .refused }
  }

  func count(_ outcome: Outcome) -> Int { items.count { $0.outcome == outcome } }

  /// A line for each item, and one with their numbers.
  var text: String {
    let lines = items.map { "\($0.outcome.rawValue)  \($0.place.escaped): \($0.text.escaped)\n" }
    return lines.joined()
      + "\(count(.taken)) taken, \(count(.changed)) to look at, \(count(.refused)) refused\n"
  }
}

extension String {
  /// The text with `\u{1B}` in the place of each character that a terminal or a reader of lines would act upon: controls, ends of lines,
  /// and what turns the direction of writing around.
  fileprivate var escaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
