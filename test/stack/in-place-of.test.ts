import * as powertools from '@aws-lambda-powertools/metrics';
import { Sha256 as WholeSha256 } from '@smithy/core/checksum';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Sha256 } from '../../bundle/in-place-of/checksum.ts';
import { NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS } from '../../bundle/in-place-of/endpoint-discovery.ts';
import { Headers as LightHeaders } from '../../bundle/in-place-of/headers.ts';
import * as light from '../../bundle/in-place-of/metrics.ts';

/** What stands in the bundle in the place of packages does what they would, or refuses. */
afterEach(() => {
  vi.useRealTimers();
});

test('a line of metrics is the one that Powertools writes, line after line', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const lines = ({ Metrics, MetricUnit }: Pick<typeof powertools, 'Metrics' | 'MetricUnit'>) => {
    const metrics = new Metrics({ namespace: 'Gatehouse', serviceName: 'shop' });
    return ['role', 'no_grant'].map((outcome, index) => {
      metrics.addDimension('outcome', outcome);
      metrics.addMetric('Allowed', MetricUnit.Count, index);
      if (index === 0) metrics.addMetric('Latency', MetricUnit.Milliseconds, 1.5);
      metrics.addMetadata('tenant', index === 0 ? 'account:1' : '');
      const line = JSON.stringify(metrics.serializeMetrics());
      metrics.clearMetrics();
      metrics.clearDimensions();
      metrics.clearMetadata();
      return line;
    });
  };
  const written = lines(light as unknown as typeof powertools);
  expect(written).toEqual(lines(powertools));
  expect(written[1]).not.toContain('Latency');
});

describe('headers', () => {
  test.each([
    ['a record', { Accept: 'a', b: 'c' }],
    [
      'pairs',
      [
        ['Accept', 'a'],
        ['b', 'c'],
      ] as [string, string][],
    ],
    ['nothing', undefined],
  ])('of %s are as those of Node', (_what, given) => {
    const ours = new LightHeaders(given);
    const theirs = new Headers(given);
    for (const headers of [ours, theirs]) headers.set('User-Agent', 'u');
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    for (const name of ['accept', 'ACCEPT', 'user-agent', 'none']) {
      expect(ours.has(name)).toBe(theirs.has(name));
      expect(ours.get(name)).toBe(theirs.get(name));
    }
  });
});

test('endpoints are not looked for', () => {
  expect(NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS.environmentVariableSelector()).toBeUndefined();
});

test('SHA-256 and its HMAC are those of the SDK, of texts and of bytes', async () => {
  const bytes = new Uint8Array([0, 1, 2, 255]);
  for (const secret of [undefined, 'secret', bytes, bytes.buffer.slice(1, 3)])
    for (const data of [new Uint8Array(), new TextEncoder().encode('text'), bytes.subarray(1)]) {
      const hashes = [new Sha256(secret), new WholeSha256(secret)];
      const digests = hashes.map(async (hash) => {
        hash.update(bytes);
        hash.reset();
        hash.update(data);
        return Buffer.from(await hash.digest()).toString('hex');
      });
      const [ours, theirs] = await Promise.all(digests);
      expect(ours).toBe(theirs);
    }
});
