import { afterEach, expect, test, vi } from 'vitest';
import { LOG_LEVELS, type LogLevel } from '../../table/log.ts';
import { createLogged } from '../support/log.ts';

afterEach(() => void vi.unstubAllEnvs());

/** The levels of what is written of one line of each level. */
function written(level?: LogLevel): readonly unknown[] {
  const { log, take } = createLogged('test', { level });
  for (const name of ['info', 'warn', 'error'] as const) log[name]('said', {});
  return take().map((line) => line.level);
}

test('a line has level, text, instant, service and the fields that have a value, in this order', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 8) });
  const { log, lines } = createLogged('authorizer');
  log.info('credentials refused', { requestId: undefined, code: 'token_expired' });
  vi.useRealTimers();
  expect(lines).toEqual([
    '{"level":"INFO","message":"credentials refused","timestamp":"2026-11-23T08:00:00.000Z","service":"authorizer","code":"token_expired"}',
  ]);
});

test('lines of lower levels are not written', () => {
  expect(written()).toEqual(['INFO', 'WARN', 'ERROR']);
  expect(LOG_LEVELS.map((level) => written(level).length)).toEqual([3, 3, 2, 1, 0]);
});

test.each([
  ['TRACE', 3],
  ['info', 3],
  ['WARN', 2],
  ['FATAL', 0],
  ['LOUD', 1],
])("Lambda's level %s holds before the configured one", (level, count) => {
  vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', level);
  expect(written('ERROR')).toHaveLength(count);
});

test('a line names the trace of its own invocation', () => {
  const { log, take } = createLogged();
  for (const id of ['1-5759e988-bd862e3fe1be46a994272793', '1-5759e989-000000000000000000000001']) {
    vi.stubEnv('_X_AMZN_TRACE_ID', `Root=${id};Parent=53995c3f42cd8ad8;Sampled=1`);
    log.info('said', {});
    expect(take()).toMatchObject([{ traceId: id }]);
  }
});
