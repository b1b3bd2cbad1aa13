import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { REVOCATION_DEFAULTS, revocationBound } from '../../provisioning/revocation-bound.ts';

/** What revocations print: transcripts/revoke.txt. */
describe('the arithmetic', () => {
  test('matches the document and the defaults', () => {
    const document = readFileSync(new URL('../../docs/freshness.md', import.meta.url), 'utf8');
    expect(REVOCATION_DEFAULTS.cacheTtl * 1_000).toBe(DEFAULT_TTL_MS);
    expect(document).toContain(`\`CACHE_TTL_SECONDS\`, ${REVOCATION_DEFAULTS.cacheTtl} unless set`);
    const aws = revocationBound({ ...REVOCATION_DEFAULTS, resultTtl: 300 });
    expect(document).toContain(
      `${REVOCATION_DEFAULTS.cacheTtl} s + 300 s. With the stack as shipped, whose result cache is off: ${revocationBound(REVOCATION_DEFAULTS).request} s.`,
    );
    expect(aws.request).toBe(360);
    expect(document).toContain('an open WebSocket | 2 h:');
    expect(aws.webSocket).toBe(60 + 2 * 3_600);
  });

  test('stale answers of an outage overlap with the cache TTL, they do not add to it', () => {
    expect(revocationBound({ ...REVOCATION_DEFAULTS, outageTtl: 600 }).request).toBe(600);
    expect(revocationBound({ ...REVOCATION_DEFAULTS, outageTtl: 30 }).request).toBe(60);
    expect(revocationBound({ cacheTtl: 0, outageTtl: 0, resultTtl: 0, webSocket: 0 })).toMatchObject({
      request: 0,
      webSocket: 0,
    });
  });
});
