import { type Fetch, fetchKeys } from '../../authorizer/credentials/fetch.ts';
import { type Configuration, createKeySet } from '../../authorizer/index.ts';
import { type Result, reporter } from './result.ts';

const { ok, failed, warning } = reporter('issuers');

/** As the authorizer has it, which gives up after a second. */
const TIMEOUT_MS = 1_000;
const SLOW_MS = 500;
const MAX_BYTES = 256 * 1_024;

/**
 * Fetches each issuer's keys once, as the authorizer does: no redirect, at most a second and 256 KB, and only keys that
 * it would use.
 */
export const checkIssuers = async (
  { token }: Pick<Configuration, 'token'>,
  { now, fetch = fetchKeys }: { readonly now: () => number; readonly fetch?: Fetch },
): Promise<readonly Result[]> =>
  Promise.all(
    token.issuers.map(async ({ jwksUrl, algorithms }) => {
      const begunAt = now();
      try {
        const { listed, usable } = await keysAt(jwksUrl, algorithms, fetch);
        const took = now() - begunAt;
        const what = `${jwksUrl.href}: ${usable} of ${listed} keys are usable for ${algorithms.join(', ')}`;
        if (usable === 0) return failed(`${what}: every token is refused. Check TOKEN_ALGORITHMS`);
        if (took > SLOW_MS) return warning(`${what}; it took ${took} ms, and the authorizer waits 1,000 ms`);
        return ok(what);
      } catch (error) {
        return failed(`${jwksUrl.href}: ${reasonOf(error)}. Without keys every token is refused`);
      }
    }),
  );

class NoKeySet extends Error {}

async function keysAt(url: URL, algorithms: readonly string[], fetch: Fetch) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { status, body } = await fetch(url.href, { headers: { accept: 'application/json' }, signal });
  if (status !== 200) {
    await body?.cancel();
    throw new NoKeySet(`it answers ${status} instead of 200; redirects are not followed`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new NoKeySet('its answer is larger than 256 KB');
    chunks.push(chunk);
  }
  try {
    const jwks: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const usable = await createKeySet(jwks, algorithms);
    return { listed: (jwks as { keys: readonly unknown[] }).keys.length, usable: usable.size };
  } catch {
    throw new NoKeySet('its answer is no JWK Set (RFC 7517)');
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NoKeySet) return error.message;
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return name === 'TimeoutError'
    ? 'it did not answer within a second'
    : `it does not answer (${code ?? name})`;
}
