import { formatApiToken, hashOfToken } from '../table/api-token.ts';
import {
  Attribute,
  assignmentAttribute,
  formatInterval,
  roleAttribute,
} from '../table/decision/attributes.ts';
import type { Item } from '../table/item.ts';
import { decisionKey, globalKey, identityOf, type Key } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { READ_DEADLINE_MS } from '../table/timing.ts';

/** What a function does before there is a request, in Lambda's INIT phase, which has a whole processor for 10 s. */
export interface WarmUp {
  /** What waits for others: connecting to DynamoDB, reading what every request looks at, issuers' keys. */
  readonly requests: readonly (() => Promise<unknown>)[];
  /** Runs the code of a request once, for V8 compiles a function at its first call (ADR 0036). */
  readonly compute: () => Promise<unknown>;
}

/**
 * Does it, all at once. Never rejects: what could not be had, the first request gets.
 *
 * @param deadlineMs milliseconds after which it resolves, whatever is still missing
 */
export async function warmUp(
  { requests, compute }: WarmUp,
  deadlineMs: number = READ_DEADLINE_MS,
): Promise<void> {
  // What is computed waits until the requests are under way.
  const computed = new Promise((resolve) => setTimeout(resolve, 0)).then(compute);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([Promise.allSettled([...requests.map((each) => each()), computed]), late]);
  clearTimeout(timer);
}

/** What Lambda's runtime takes from a module. */
export interface Module<Handler> {
  readonly handler: Handler;
}

/**
 * What the `then` of a handler's module resolves with: the handler, when it is warm. Lambda's runtime awaits what it
 * loads, so that the INIT phase ends when the warm-up does; a runtime that does not gets the handler at once (ADR 0036).
 */
export async function whenWarm<Handler>(
  warm: Promise<void>,
  module: Module<Handler>,
): Promise<Module<Handler>> {
  await warm;
  // The handler of now: instrumentation may have wrapped it in place.
  return { handler: module.handler };
}

/** The name of all that is made up: one user with one role at a tenant, and a place below it. */
export const MADE_UP = 'warm-up';
export const MADE_UP_PLACE = `location:${MADE_UP}`;
const TENANT = `tenant:${MADE_UP}`;

/** A decision item that is made up. */
export const madeUpItem = (key: Key, attributes: Readonly<Record<string, unknown>> = {}): Item => ({
  ...key,
  [Attribute.version]: 1,
  [Attribute.writtenAt]: 0,
  [Attribute.writeId]: MADE_UP,
  ...attributes,
});

/** An API token of the user: how a request names it, and its item. */
export async function createMadeUpToken(): Promise<{ readonly authorization: string; readonly item: Item }> {
  const token = formatApiToken({ type: 'user', id: MADE_UP }, MADE_UP, 'A'.repeat(43));
  const item = madeUpItem(decisionKey({ type: 'token', id: MADE_UP }), {
    [Attribute.status]: 'active',
    [Attribute.endsAt]: new Date(8.64e15).toISOString(),
    [Attribute.subject]: `user:${MADE_UP}`,
    [Attribute.hash]: await hashOfToken(token),
  });
  return { authorization: `Bearer ${token}`, item };
}

/** Reads what is made up, and nothing of the table: it allows the user the permissions at the place and the tenant. */
export function createMadeUpReader(
  permissions: readonly Key[],
  more: readonly Item[] = [],
): Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'> {
  const active = { [Attribute.status]: 'active' };
  const allowed = { [Attribute.registered]: true, [Attribute.allow]: new Set([MADE_UP]) };
  const items = [
    madeUpItem(decisionKey({ type: 'user', id: MADE_UP }), {
      ...active,
      // At both: a policy for a whole API looks for scopes that are named, not below one.
      [assignmentAttribute(TENANT, MADE_UP)]: formatInterval(undefined, undefined),
      [assignmentAttribute(MADE_UP_PLACE, MADE_UP)]: formatInterval(undefined, undefined),
    }),
    madeUpItem(decisionKey({ type: 'tenant', id: MADE_UP }), active),
    madeUpItem(decisionKey({ type: 'location', id: MADE_UP }), {
      ...active,
      [Attribute.ancestors]: [TENANT],
    }),
    ...permissions.map((key) => madeUpItem(key, allowed)),
    madeUpItem(globalKey(), { [roleAttribute(MADE_UP)]: '' }),
    ...more,
  ];
  const byKey = new Map(items.map((item) => [identityOf(item), item]));
  const getMany = async (keys: readonly Key[]) => keys.map((key) => byKey.get(identityOf(key)));
  return {
    getMany,
    getSnapshot: getMany,
    list: async () => ({ items: [] }),
    listAll: async ({ ranges }) =>
      items.filter(({ PK, SK }) =>
        ranges.some(({ partition, prefix = '' }) => PK === partition && SK.startsWith(prefix)),
      ),
  };
}
