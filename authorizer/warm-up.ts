import { createHash } from 'node:crypto';
import type { Clock } from '../engine/clock.ts';
import { formatApiToken } from '../table/api-token.ts';
import {
  Attribute,
  assignmentAttribute,
  formatInterval,
  roleAttribute,
} from '../table/decision/attributes.ts';
import type { Item } from '../table/item.ts';
import {
  apiRef,
  apiRevisionKey,
  decisionKey,
  edgeKey,
  globalKey,
  identityOf,
  type Key,
} from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { READ_DEADLINE_MS } from '../table/timing.ts';
import type { Answer } from './answer.ts';
import { type Composed, compose } from './compose.ts';
import type { Configuration } from './configuration.ts';
import { FROM_HEADER } from './credentials/credentials.ts';
import type { RemoteIssuer } from './credentials/issuers.ts';
import { createVerify } from './credentials/verify.ts';
import { DEFAULT_CACHE } from './routes/cache-key.ts';
import { untraced } from './trace.ts';

/**
 * Does what does not depend on a request before there is one, in Lambda's INIT phase, which has a whole
 * processor for at most 10 s: connects to DynamoDB, loads the items of every decision and the issuers' keys, and
 * runs the code of a request once, for V8 compiles a function at its first call (ADR 0051).
 *
 * Never rejects. What could not be had, the first request gets.
 *
 * @param deadlineMs milliseconds after which it resolves, whatever is still missing
 */
export async function warmUp(
  { configuration, issuers, prefetch }: Composed,
  clock: Clock,
  deadlineMs = READ_DEADLINE_MS,
): Promise<void> {
  // What is computed waits until the requests are under way.
  const computed = new Promise((resolve) => setImmediate(resolve)).then(() => decideOnce(configuration));
  const work = [prefetch(), verifyOnce(issuers, clock), computed];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}

/** Of the length of a signature by RSA with 2,048 bits. Those of other keys are refused before they are computed. */
const SIGNATURE = Buffer.alloc(256, 1).toString('base64url');

/** Verifies for each key source a token that nobody has signed, which fails at its signature. */
async function verifyOnce(issuers: readonly RemoteIssuer[], { now }: Clock): Promise<void> {
  const sources = new Map(issuers.map((trusted) => [trusted.keys, trusted]));
  const verify = createVerify(issuers);
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const tried = [...sources.values()].map(async ({ issuer: iss, tokenUse: token_use, keys }) => {
    const [key] = (await keys.prefetch()).values();
    if (key === undefined) return;
    const [header, payload] = [
      { alg: key.alg, kid: key.kid },
      { iss, token_use, exp: 0 },
    ];
    await verify([encoded(header), encoded(payload), SIGNATURE].join('.'), now()).catch(() => undefined);
  });
  await Promise.all(tried);
}

/** The name of all that is made up: one user with one role at one place below a tenant. */
const NAME = 'warm-up';
const PLACE = `location:${NAME}`;
const TENANT = `tenant:${NAME}`;
const TOKEN = formatApiToken({ type: 'user', id: NAME }, NAME, 'A'.repeat(43));

function madeUpItems(): readonly Item[] {
  const stamp = { [Attribute.version]: 1, [Attribute.writtenAt]: 0, [Attribute.writeId]: NAME };
  const item = (key: Key, attributes: Readonly<Record<string, unknown>> = {}): Item => ({
    ...key,
    ...stamp,
    ...attributes,
  });
  const active = { [Attribute.status]: 'active' };
  return [
    item(decisionKey({ type: 'user', id: NAME }), {
      ...active,
      [assignmentAttribute(PLACE, NAME)]: formatInterval(undefined, undefined),
    }),
    item(decisionKey({ type: 'token', id: NAME }), {
      ...active,
      [Attribute.endsAt]: new Date(8.64e15).toISOString(),
      [Attribute.subject]: `user:${NAME}`,
      [Attribute.hash]: createHash('sha256').update(TOKEN).digest('base64url'),
    }),
    item(decisionKey({ type: 'tenant', id: NAME }), active),
    item(decisionKey({ type: 'location', id: NAME }), { ...active, [Attribute.ancestors]: [TENANT] }),
    item(decisionKey({ type: 'page', id: NAME }), {
      [Attribute.registered]: true,
      [Attribute.allow]: new Set([NAME]),
    }),
    item(globalKey(), { [roleAttribute(NAME)]: '' }),
    item(apiRevisionKey(NAME)),
  ];
}

const ROUTE: Item = {
  ...edgeKey(apiRef(NAME), { type: 'route', id: NAME }),
  ...{ id: NAME, method: 'GET', path: '/{id}', permission: NAME, scope: 'location:{id}' },
};

/** Reads what is made up, and nothing of the table. */
function createMadeUpReader(): Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'> {
  const items = new Map(madeUpItems().map((item) => [identityOf(item), item]));
  const getMany = async (keys: readonly Key[]) => keys.map((key) => items.get(identityOf(key)));
  return {
    getMany,
    getSnapshot: getMany,
    list: async () => ({ items: [] }),
    listAll: async ({ ranges }) => (ranges[0]?.partition === ROUTE.PK ? [ROUTE] : []),
  };
}

/** Of an HTTP API and of a REST API. */
function madeUpEvents(): readonly object[] {
  const arn = (stage: string): string =>
    `arn:aws:execute-api:${NAME}:000000000000:${NAME}/${stage}/GET/${NAME}`;
  const [path, authorization, requestId] = [`/${NAME}`, `Bearer ${TOKEN}`, NAME];
  return [
    {
      ...{ version: '2.0', type: 'REQUEST', routeArn: arn('$default'), routeKey: '$default', rawPath: path },
      headers: { authorization },
      requestContext: { http: { method: 'GET', path }, stage: '$default', requestId },
    },
    {
      ...{ type: 'REQUEST', methodArn: arn(NAME), httpMethod: 'GET', path, headers: { authorization } },
      requestContext: { httpMethod: 'GET', stage: NAME, requestId },
    },
  ];
}

/**
 * Sends made-up requests to an authorizer of its own: as configured, over a table that is made up, without the
 * issuers. It shares nothing with the real one, writes nothing, and nobody gets its answers.
 *
 * @returns its answers, for the test that they are the longest way: an allow
 */
export async function decideOnce(configuration: Configuration): Promise<readonly Answer[]> {
  const { authorizer } = compose(
    {
      ...configuration,
      api: NAME,
      // Whatever is configured, the requests have what the answer rests on.
      token: { ...configuration.token, credentialsFrom: [FROM_HEADER] },
      resultCaches: new Map([[DEFAULT_CACHE, { ttl: 0, identitySources: [], key: new Set() }]]),
    },
    untraced,
    {
      reader: createMadeUpReader(),
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      log: () => undefined,
      writeMetrics: () => undefined,
    },
  );
  const answers: Answer[] = [];
  for (const event of madeUpEvents()) answers.push(await authorizer(event));
  return answers;
}
