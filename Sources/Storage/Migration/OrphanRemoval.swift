import GatehouseModel

/// Removes what a migration leaves behind beside tables and columns: embedded objects whose parents are gone, and notes
/// of links inside mixed values that are gone.
struct OrphanRemoval {
  /// SQL, and whether to do it again until nothing changes.
  struct Statement {
    let sql: String
    let isRepeated: Bool
  }

  private let old: Catalog
  private let new: Catalog

  init(from old: Catalog, to new: Catalog) {
    self.old = old
    self.new = new
  }

  var statements: [Statement] {
    notes.map { Statement(sql: $0, isRepeated: false) } + (hasLosses ? embedded : [])
  }

  /// Whether a property that held embedded objects is gone.
  private var hasLosses: Bool {
    old.tables.contains { table in
      table.properties.contains { layout in
        guard case .object(let target)? = layout.element, old.schema[target]?.isEmbedded == true else {
          return false
        }
        return place(of: layout, in: table) == nil
      }
    }
  }

  /// The property that has the column or child table now.
  private func place(of layout: PropertyLayout, in table: TableLayout) -> PropertyLayout? {
    let successor = new.tables.first { $0.objectType.name == table.objectType.name && $0.name == table.name }
    return successor?.properties.first { $0.name == layout.name }
  }

  /// The property of another type that the values of a mixed one were taken over by, as they were.
  private func heir(of layout: PropertyLayout, in table: TableLayout) -> PropertyLayout? {
    let successor = new.tables.first { $0.objectType.name == table.objectType.name && $0.name == table.name }
    return successor?.properties.first {
      $0.element == .mixed && layout.property.converts(to: $0.property)
        && table.predecessor(of: $0.property)?.name == layout.name
    }
  }

  // Embedded objects can be nested: each pass finds those whose parents the one before removed.
  private var embedded: [Statement] {
    var statements: [Statement] = []
    let classes = new.tables.indices.filter { new.tables[$0].objectType.isEmbedded }
    // Parents first is enough but for classes that embed each other, which no pass order serves.
    for _ in classes {
      for index in classes {
        statements.append(
          Statement(
            sql: "DELETE FROM \(new.tables[index].table) WHERE \(new.isOrphan(index))", isRepeated: true))
        for layout in new.tables[index].properties where layout.element != nil && !layout.isColumn {
          let sql =
            "DELETE FROM \(layout.child) WHERE owner NOT IN (SELECT _key FROM \(new.tables[index].table))"
          statements.append(Statement(sql: sql, isRepeated: false))
          guard case .list = layout.property.type else { continue }
          let blocks = """
            DELETE FROM _list_blocks WHERE list = \(literal(layout.name ?? "")) \
            AND owner NOT IN (SELECT _key FROM \(new.tables[index].table))
            """
          statements.append(Statement(sql: blocks, isRepeated: false))
        }
      }
    }
    return statements
  }

  private var notes: [String] {
    old.tables.flatMap { table in
      table.properties.filter { $0.element == .mixed }.compactMap { layout in
        let successor = place(of: layout, in: table) ?? heir(of: layout, in: table)
        let condition =
          "owner = \(literal(table.objectType.name)) AND property = \(literal(layout.property.storedName))"
        guard let successor else { return "DELETE FROM _mixed_links WHERE \(condition)" }
        guard successor.property.storedName != layout.property.storedName else { return nil }
        return """
          UPDATE _mixed_links SET property = \(literal(successor.property.storedName)) WHERE \(condition)
          """
      }
    }
  }
}

extension Catalog {
  /// SQL that tells of a row of an embedded class' table whether no object holds it.
  func isOrphan(_ table: Int) -> String {
    "\(parents(of: table)) = 0"
  }

  /// SQL that gives for a row of an embedded class' table how many places hold it.
  func parents(of table: Int) -> String {
    let key = "\(tables[table].table)._key"
    let counts = incoming[table].map { link in
      let layout = tables[link.table].properties[link.property]
      let (place, column) =
        layout.isColumn ? (tables[link.table].table, layout.column) : (layout.child, "value")
      return "(SELECT count(*) FROM \(place) AS parent WHERE parent.\(column) = \(key))"
    }
    return counts.isEmpty ? "0" : "(\(counts.joined(separator: " + ")))"
  }
}
