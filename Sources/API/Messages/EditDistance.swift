/// Finds the known word that someone probably meant (Levenshtein's distance).
public enum EditDistance {
  /// The word that is fewest edits away from `text`, unless that is a different word altogether.
  public static func nearest(to text: String, among words: [String]) -> String? {
    // Long input is no typing mistake, and the distance costs the product of the lengths.
    guard text.utf8.count <= 32 else { return nil }
    let distances = words.map { (word: $0, distance: distance(Array(text.utf8), Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.utf8.count / 2) ? best.word : nil
  }

  /// Levenshtein's distance.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}
