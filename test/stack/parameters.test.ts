import { describe, expect, test } from 'vitest';
import { checkParameters, type StackParameters } from '../../deploy/bundle/parameters.ts';

const DECLARED = ['tokenIssuer', 'tokenAudience', 'cacheTtlSeconds'];
const GOOD = {
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'api',
  CACHE_TTL_SECONDS: 60,
  SUBJECT_FROM: '',
};
const LOGS = {
  DecisionLogTo: 'logs',
  DecisionLogStreamArn: '',
  TableName: '',
  TableStreamArn: '',
  AuditStorage: 'false',
  LiveRevocation: 'false',
};
const check = (
  given: readonly string[],
  environment: Readonly<Record<string, unknown>> = GOOD,
  stack: StackParameters = LOGS,
) => checkParameters(given, DECLARED, environment, stack);

describe("the stack's parameters", () => {
  test('that are known, with an issuer, are taken', () => {
    expect(() => check([])).not.toThrow();
    expect(() => check(['tokenIssuer=https://a.example/?b=c', 'cacheTtlSeconds=5'])).not.toThrow();
  });

  test('that are unknown are named, each with what was probably meant', () => {
    expect(() => check(['tokenIsuer=x', 'cacheTtlSeconds=5', 'colour=red'])).toThrow(
      '--param tokenIsuer: there is no such parameter; did you mean tokenIssuer?\n' +
        '--param colour: there is no such parameter; there are tokenIssuer, tokenAudience, cacheTtlSeconds',
    );
  });

  test.each([
    ['without an issuer', { ...GOOD, TOKEN_ISSUER: '' }, 'TOKEN_ISSUER is missing'],
    ['without an audience', { ...GOOD, TOKEN_AUDIENCE: '' }, 'TOKEN_AUDIENCE is missing'],
    ['with a wrong value', { ...GOOD, CACHE_TTL_SECONDS: 'soon' }, 'CACHE_TTL_SECONDS'],
  ])('%s are refused, by the variable', (_, environment, message) => {
    expect(() => check([], environment)).toThrow(message);
  });

  test('that send decisions to Firehose name the stream', () => {
    const firehose = { ...LOGS, DecisionLogTo: 'firehose' };
    expect(() => check([], GOOD, firehose)).toThrow('needs the ARN of your stream: decisionLogStreamArn');
    const DecisionLogStreamArn = 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/decisions';
    expect(() => check([], GOOD, { ...firehose, DecisionLogStreamArn })).not.toThrow();
  });

  test.each(['AuditStorage', 'LiveRevocation'])(
    'that read the stream of another table name it: %s',
    (reader) => {
      const own = { ...LOGS, [reader]: 'true' };
      const adopted = { ...own, TableName: 'restored' };
      expect(() => check([], GOOD, own)).not.toThrow();
      expect(() => check([], GOOD, adopted)).toThrow('needs tableStreamArn');
      expect(() => check([], GOOD, { ...adopted, TableStreamArn: 'arn:stream' })).not.toThrow();
      expect(() => check([], GOOD, { ...LOGS, TableName: 'restored' })).not.toThrow();
    },
  );
});
