// The last minutes of the server: rates, latencies, lag, memory, queues.
import { send } from '../Base/api.js';
import { element, repeat } from '../Base/dom.js';
import { sentence } from '../Base/problem.js';
import { texts } from '../Page/texts.js';
import { lineChart } from '../Plots/chart.js';
import { quantile, samples, sum } from './openmetrics.js';

const every = 2000, most = 150;

/** Each chart has lines: a name, and its value of two readings and the seconds between them. */
const rate = (name, isWanted) => (before, after, seconds) => Math.max(0, sum(after, name, isWanted) - sum(before, name, isWanted)) / seconds;
const gauge = (name, factor = 1) => (before, after) => sum(after, name) * factor;
const milliseconds = (name, part) => (before, after) => (quantile(before, after, name, part) ?? 0) * 1000;
const charts = {
  requests: { success: rate('gatehouse_requests_total', ({ status = '' }) => status < '400'), refused: rate('gatehouse_requests_total', ({ status = '' }) => status >= '400') },
  latency: { p50: milliseconds('gatehouse_request_duration_seconds', 0.5), p99: milliseconds('gatehouse_request_duration_seconds', 0.99) },
  commits: { commits: rate('gatehouse_commits_total'), events: rate('gatehouse_feed_events_total') },
  lag: { loop: milliseconds('gatehouse_loop_lag_seconds', 0.99), feed: gauge('gatehouse_feed_lag_commits') },
  memory: { resident: gauge('process_resident_memory_bytes', 1 / 1048576), shared: gauge('gatehouse_shared_memory_bytes', 1 / 1048576) },
  queues: { writes: gauge('gatehouse_write_queue_depth'), connections: gauge('gatehouse_connections'), subscribers: gauge('gatehouse_feed_subscribers') },
  bytes: { sent: rate('gatehouse_sent_bytes_total'), received: rate('gatehouse_received_bytes_total') },
  cpu: { cpu: rate('process_cpu_seconds_total') },
};

/** Readings go on as long as the page is there, so that coming back shows what was meanwhile. */
const history = [];
let last;
let failure;
let isReading = false;

async function readOnce() {
  if (isReading) return;
  isReading = true;
  try {
    const now = samples(await (await send('GET', 'metrics')).text());
    const time = performance.now();
    if (last && sum(now, 'process_start_time_seconds') === sum(last.found, 'process_start_time_seconds')) {
      const seconds = (time - last.time) / 1000;
      const point = { time: Date.now() };
      for (const [chart, parts] of Object.entries(charts)) for (const [name, value] of Object.entries(parts)) point[`${chart}.${name}`] = value(last.found, now, seconds);
      history.push(point);
      if (history.length > most) history.shift();
    }
    last = { found: now, time };
    failure = undefined;
  } catch (error) {
    failure = error;
  } finally {
    isReading = false;
  }
}

export async function view(place, { curl }) {
  curl({ target: 'metrics' });
  const problem = element('p', { class: 'problem', role: 'status' });
  const grid = element('div', { class: 'charts' });
  place.append(element('h1', {}, texts.places.metrics), problem, grid);
  const show = async () => {
    await readOnce();
    problem.textContent = failure ? sentence(failure) : '';
    grid.replaceChildren(...Object.entries(charts).map(([chart, parts]) => element('figure', { class: 'card' },
      element('figcaption', {}, texts.metrics.charts[chart]),
      lineChart(texts.metrics.charts[chart], Object.keys(parts).map((name) => ({ name: texts.metrics.lines[name] ?? name, points: history.map((point) => [point.time, point[`${chart}.${name}`]]) }))))));
  };
  await show();
  return repeat(show, every);
}
