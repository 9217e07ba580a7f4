/// A file of the console, as browsers get it.
public struct ConsoleFile: Sendable {
  /// Its place below `/console/` is that of its folder and name here, since modules import each other by relative paths.
  public let path: String
  public let mediaType: String
  /// The source without indentation, comments and needless spaces, which are a sixth of it.
  public let bytes: [UInt8]

  init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    switch path.split(separator: ".").last {
    case "html": (mediaType, self.bytes) = ("text/html; charset=utf-8", bytes)
    case "svg": (mediaType, self.bytes) = ("image/svg+xml", bytes)
    case "css": (mediaType, self.bytes) = ("text/css; charset=utf-8", bytes.withoutLines(["/*"]))
    default:
      (mediaType, self.bytes) = (
        "text/javascript; charset=utf-8", bytes.withoutLines(["//", "/**", "*"]) { $0.withoutSpaces }
      )
    }
  }

  /// The page that loads all others: its links have a browser ask for the modules of the first view at once, not for each when it
  /// has read the one before.
  public static let page = ConsoleFile("Page/index.html", withModules(PackageResources.index_html))

  private static func withModules(_ page: [UInt8]) -> [UInt8] {
    let end = Array("</head>".utf8)
    guard let place = page.firstRange(of: end) else { return page }
    let links = firstView.filter { $0.path.hasSuffix(".js") }.map {
      "<link rel=\"modulepreload\" href=\"console/\($0.path)\">\n"
    }
    return page[..<place.lowerBound] + Array(links.joined().utf8) + page[place.lowerBound...]
  }

  /// All files but the page.
  public static let all: [ConsoleFile] = firstView + data + views

  /// The files that the list of classes needs, which is the view that the page begins with.
  static let firstView: [ConsoleFile] = frame + base + overview
}

extension ConsoleFile {
  private static let frame = [
    ConsoleFile("Page/announce.js", PackageResources.announce_js),
    ConsoleFile("Page/curl.js", PackageResources.curl_js),
    ConsoleFile("Page/enter.js", PackageResources.enter_js),
    ConsoleFile("Page/gateway.js", PackageResources.gateway_js),
    ConsoleFile("Page/icon.svg", PackageResources.icon_svg),
    ConsoleFile("Page/main.js", PackageResources.main_js),
    ConsoleFile("Page/style.css", PackageResources.style_css),
    ConsoleFile("Page/texts.js", PackageResources.texts_js),
    ConsoleFile("Page/views.js", PackageResources.views_js),
  ]

  private static let base = [
    ConsoleFile("Base/api.js", PackageResources.api_js),
    ConsoleFile("Base/app.js", PackageResources.app_js),
    ConsoleFile("Base/dom.js", PackageResources.dom_js),
    ConsoleFile("Base/json.js", PackageResources.json_js),
    ConsoleFile("Base/live.js", PackageResources.live_js),
    ConsoleFile("Base/problem.js", PackageResources.problem_js),
    ConsoleFile("Base/route.js", PackageResources.route_js),
    ConsoleFile("Base/schema.js", PackageResources.schema_js),
    ConsoleFile("Base/session.js", PackageResources.session_js),
  ]

  private static let overview = [
    ConsoleFile("Data/classes.js", PackageResources.classes_js),
    ConsoleFile("Data/graph.js", PackageResources.graph_js),
  ]

  private static let data = [
    ConsoleFile("Data/class.js", PackageResources.class_js),
    ConsoleFile("Data/create.js", PackageResources.create_js),
    ConsoleFile("Data/difference.js", PackageResources.difference_js),
    ConsoleFile("Data/documents.js", PackageResources.documents_js),
    ConsoleFile("Data/edit.js", PackageResources.edit_js),
    ConsoleFile("Data/editors.js", PackageResources.editors_js),
    ConsoleFile("Data/explain.js", PackageResources.explain_js),
    ConsoleFile("Data/filter.js", PackageResources.filter_js),
    ConsoleFile("Data/grid.js", PackageResources.grid_js),
    ConsoleFile("Data/object.js", PackageResources.object_js),
    ConsoleFile("Data/rows.js", PackageResources.rows_js),
    ConsoleFile("Data/transfer.js", PackageResources.transfer_js),
    ConsoleFile("Data/value.js", PackageResources.value_js),
  ]

  private static let views = [
    ConsoleFile("Page/dialog.js", PackageResources.dialog_js),
    ConsoleFile("Page/form.js", PackageResources.form_js),
    ConsoleFile("Live/changes.js", PackageResources.changes_js),
    ConsoleFile("Live/timeline.js", PackageResources.timeline_js),
    ConsoleFile("Live/undo.js", PackageResources.undo_js),
    ConsoleFile("Place/apps.js", PackageResources.apps_js),
    ConsoleFile("Place/audit.js", PackageResources.audit_js),
    ConsoleFile("Place/keys.js", PackageResources.keys_js),
    ConsoleFile("Place/metrics.js", PackageResources.metrics_js),
    ConsoleFile("Place/openmetrics.js", PackageResources.openmetrics_js),
    ConsoleFile("Place/roles.js", PackageResources.roles_js),
    ConsoleFile("Place/server.js", PackageResources.server_js),
    ConsoleFile("Place/users.js", PackageResources.users_js),
    ConsoleFile("Plots/chart.js", PackageResources.chart_js),
    ConsoleFile("Plots/map.js", PackageResources.map_js),
    ConsoleFile("Plots/outline.js", PackageResources.outline_js),
    ConsoleFile("Plots/plot.js", PackageResources.plot_js),
    ConsoleFile("Run/functions.js", PackageResources.functions_js),
    ConsoleFile("Run/triggers.js", PackageResources.triggers_js),
  ]
}

extension [UInt8] {
  /// The lines without their indentation, but for empty ones and those that begin with one of the marks of comments.
  fileprivate func withoutLines(
    _ marks: [String], _ shorten: (ArraySlice<UInt8>) -> [UInt8] = { Array($0) }
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for line in split(separator: UInt8(ascii: "\n")) {
      let code = line.drop { $0 == UInt8(ascii: " ") }
      guard !code.isEmpty, !marks.contains(where: { code.starts(with: $0.utf8) }) else { continue }
      bytes += shorten(code)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}

extension ArraySlice<UInt8> {
  private static let punctuation = Set("{}()[],;:=+-*<>!&|?%^~.'".utf8)
  /// Signs of texts in other quotes, templates, comments and regular expressions, whose ends are not looked for.
  private static let uncertain = Set("\"`/\\".utf8)

  /// A line of JavaScript without the spaces around its punctuation, but for those in texts; as it is where that is uncertain.
  fileprivate var withoutSpaces: [UInt8] {
    let (quote, space) = (UInt8(ascii: "'"), UInt8(ascii: " "))
    let signs = Set("+-".utf8)
    guard !contains(where: Self.uncertain.contains), count(where: { $0 == quote }) % 2 == 0 else {
      return Array(self)
    }
    var bytes: [UInt8] = []
    var isText = false
    for (index, byte) in zip(indices, self) {
      if byte == quote { isText.toggle() }
      if byte == space, !isText, let before = bytes.last, index + 1 < endIndex {
        let next = self[index + 1]
        // `a + +b` is no `a++b`.
        let joins = signs.contains(before) && signs.contains(next)
        if !joins, Self.punctuation.contains(before) || Self.punctuation.contains(next) { continue }
      }
      bytes.append(byte)
    }
    return bytes
  }
}
