import { check } from 'k6';
import http from 'k6/http';

/**
 * A load test of an API: requests at a rate, whatever became of those before. The first token sends most requests.
 *
 *     k6 run -e URL=https://… -e TOKENS="$PWD/tokens.txt" -e PATHS='/reports,/reports?page=2' load.k6.js
 */
const { URL, TOKENS, PATHS, RATE = '50', DURATION = '30s' } = __ENV;
const lines = open(TOKENS).split(/\r?\n/);
const tokens = lines.map((line) => line.trim()).filter((line) => line !== '');
const paths = PATHS.split(',');

export const options = {
  scenarios: {
    load: {
      executor: 'constant-arrival-rate',
      rate: Number(RATE),
      timeUnit: '1s',
      duration: DURATION,
      preAllocatedVUs: 50,
      maxVUs: 100,
    },
  },
  thresholds: { checks: ['rate>=0.99'], dropped_iterations: ['count==0'] },
  summaryTrendStats: ['med', 'p(90)', 'p(99)', 'max'],
  userAgent: 'gatehouse-load',
};

/** The n-th of them with a weight of about 1 / n. */
const drawn = (list) => list[Math.min(list.length - 1, Math.floor((list.length + 1) ** Math.random()) - 1)];

export default function load() {
  const path = paths[Math.floor(Math.random() * paths.length)];
  const answer = http.get(`${URL}${path}`, {
    headers: { authorization: `Bearer ${drawn(tokens)}` },
    redirects: 0,
    timeout: '10s',
    tags: { name: 'load' },
  });
  check(answer, {
    '2xx, 3xx or 403': ({ status }) => (status >= 200 && status < 400) || status === 403,
  });
}
