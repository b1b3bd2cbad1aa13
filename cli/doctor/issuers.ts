import { type Fetch, fetchKeys } from '../../authorizer/credentials/fetch.ts';
import { download } from '../../authorizer/credentials/keys.ts';
import { type Configuration, createKeySet } from '../../authorizer/index.ts';
import { type Result, reporter } from './result.ts';

const { ok, failed, warning } = reporter('issuers');

const SLOW_MS = 500;

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

async function keysAt(url: URL, algorithms: readonly string[], fetch: Fetch) {
  const jwks: unknown = JSON.parse(await download(fetch, url));
  const usable = await createKeySet(jwks, algorithms);
  return { listed: (jwks as { keys: readonly unknown[] }).keys.length, usable: usable.size };
}

const NO_KEY_SET = 'its answer is no JWK Set (RFC 7517)';
const REASONS: Readonly<Record<string, string>> = {
  jwks_status: 'it answers another status than 200; redirects are not followed',
  jwks_too_large: 'its answer is larger than 256 KB',
  jwks_malformed: NO_KEY_SET,
  SyntaxError: NO_KEY_SET,
  TimeoutError: 'it did not answer within a second',
};

function reasonOf(error: unknown): string {
  const { name = '', code } = error as { readonly name?: string; readonly code?: string };
  return (
    REASONS[typeof code === 'string' ? code : name] ?? REASONS[name] ?? `it does not answer (${code ?? name})`
  );
}
