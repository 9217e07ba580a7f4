internal import Glibc

/// A closed geodesic polygon; of the two parts of the sphere that it bounds, the smaller one.
package struct GeodesicRing: Hashable, Sendable {
  /// Each corner once.
  package let vertices: [SphereVector]

  package init(_ vertices: [SphereVector]) {
    precondition(vertices.count >= 3, "a ring has three corners at least: \(vertices.count)")
    self.vertices = vertices
  }

  package func edge(_ index: Int) -> (SphereVector, SphereVector) {
    (vertices[index], vertices[(index + 1) % vertices.count])
  }

  /// Whether two edges that are not neighbours cross.
  var crossesItself: Bool {
    vertices.indices.contains { first in
      vertices.indices.dropFirst(first + 2).contains { second in
        (second + 1) % vertices.count != first && SphereVector.cross(edge(first), edge(second))
      }
    }
  }

  func crosses(_ other: GeodesicRing) -> Bool {
    vertices.indices.contains { first in
      other.vertices.indices.contains { SphereVector.cross(edge(first), other.edge($0)) }
    }
  }

  /// Sums up the angles under which the edges are seen from the place: a whole turn inside, none outside.
  package func contains(_ place: SphereVector) -> Bool {
    // Seen from beyond the hemisphere around the polygon's middle the angles mean the other part.
    let middle = vertices.reduce(SphereVector(x: 0, y: 0, z: 0), +)
    if middle.dot(place) <= 0 { return false }
    var sum = 0.0
    for (index, vertex) in vertices.enumerated() {
      let next = vertices[(index + 1) % vertices.count]
      let (left, right) = (place.cross(vertex), place.cross(next))
      sum += atan2(left.cross(right).dot(place), left.dot(right))
    }
    return abs(sum) > .pi
  }
}
