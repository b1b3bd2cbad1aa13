import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

interface Script {
  readonly options: { readonly scenarios: { readonly load: Readonly<Record<string, unknown>> } };
  readonly default: () => void;
}
interface Sent {
  readonly url: string;
  readonly token: string;
  readonly redirects: number;
}

/** The script as k6 runs it, with what k6 gives it: requests are kept, and answered with a status. */
function run(env: Readonly<Record<string, string>>, tokens: string, status: number) {
  const sent: Sent[] = [];
  const checks: boolean[] = [];
  const http = {
    get: (url: string, given: { headers: { authorization: string }; redirects: number }) => {
      sent.push({ url, token: given.headers.authorization, redirects: given.redirects });
      return { status };
    },
  };
  const check = (answer: unknown, named: Readonly<Record<string, (answer: unknown) => boolean>>) =>
    checks.push(...Object.values(named).map((holds) => holds(answer)));
  const path = new URL('../../docs/examples/load.k6.js', import.meta.url);
  const { code } = transformSync(readFileSync(path, 'utf8'), { format: 'cjs' });
  const loaded: { exports: Script } = { exports: {} as Script };
  const modules: Readonly<Record<string, unknown>> = {
    k6: { check },
    'k6/http': { __esModule: true, default: http },
  };
  new Function('module', 'require', '__ENV', 'open', code)(
    loaded,
    (name: string) => modules[name],
    env,
    () => tokens,
  );
  return { script: loaded.exports, sent, checks };
}

const ENV = { URL: 'https://api.example/stage', TOKENS: 'tokens.txt', PATHS: '/a,/b?c=d' };

test('every path is asked for with every token, the first ones most, and no redirect is followed', () => {
  const { script, sent, checks } = run(ENV, 'one\r\n\ntwo\nthree\n', 200);
  for (let n = 0; n < 2_000; n++) script.default();
  expect(new Set(sent.map(({ url }) => url))).toEqual(
    new Set(['https://api.example/stage/a', 'https://api.example/stage/b?c=d']),
  );
  const count = (token: string) => sent.filter((each) => each.token === `Bearer ${token}`).length;
  expect(count('one') + count('two') + count('three')).toBe(2_000);
  expect(count('one')).toBeGreaterThan(count('two'));
  expect(count('two')).toBeGreaterThan(count('three'));
  expect(count('three')).toBeGreaterThan(0);
  expect(sent.every(({ redirects }) => redirects === 0)).toBe(true);
  expect(checks.every((holds) => holds)).toBe(true);
});

test('a refusal is no error; a token that is not accepted, and throttling, are', () => {
  for (const [status, isGood] of [
    [302, true],
    [403, true],
    [401, false],
    [429, false],
    [503, false],
    [0, false],
  ] as const) {
    const { script, checks } = run(ENV, 'one', status);
    script.default();
    expect(checks, String(status)).toEqual([isGood]);
  }
});

test('requests start at the rate that is asked for', () => {
  expect(run(ENV, 'one', 200).script.options.scenarios.load).toMatchObject({
    executor: 'constant-arrival-rate',
    rate: 50,
    duration: '30s',
  });
  const { load } = run({ ...ENV, RATE: '7', DURATION: '1m' }, 'one', 200).script.options.scenarios;
  expect(load).toMatchObject({ rate: 7, timeUnit: '1s', duration: '1m' });
});
