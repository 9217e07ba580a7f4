/// Finds what somebody who mistyped a name may have meant.
enum NearestName {
  /// The name that takes the fewest edits to reach; the first of them; nil where there are no names.
  static func of(_ mistyped: String, in names: [String]) -> String? {
    names.min { distance(mistyped, $0) < distance(mistyped, $1) }
  }

  /// Insertions, deletions, replacements and swaps of neighbours ("optimal string alignment"), case aside.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.lowercased()), right = Array(right.lowercased())
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
