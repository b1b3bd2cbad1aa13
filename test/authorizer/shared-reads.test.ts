import { beforeEach, describe, expect, test } from 'vitest';
import type { Reader } from '../../table/reader.ts';
import { createLightWorld, type World } from '../support/world.ts';
import { answerOf, serveFor } from './served.ts';
import { createIssuer, httpEvent, settle } from './support.ts';

/**
 * A request shares reads in flight, but none that began longer ago than the time-to-live: a change that was
 * confirmed before the request counts, however slow the read of another request is.
 */
const TTL = 2_000;
const PATH = '/reports';
const issuer = await createIssuer();

let world: World;
const place = 'location:place';
beforeEach(async () => {
  world = await createLightWorld();
  await world.apply(`
pages: [reports, payroll]
scopes: { Place: { id: place, type: location } }
roles: { reader: { id: reader, allow: [reports] } }
`);
});
const user = async (input: Record<string, unknown> = {}) => (await world.run('user.create', input)).id;
const give = (who: string) => world.run('grant.create', { user: who, scope: place, roles: ['reader'] });

/** An authorizer whose reads can be delayed: they return what the table held when they began. */
function open(ttlMs: number, env: Record<string, string>) {
  let wait: Promise<void> | undefined;
  let reads = 0;
  const delayed =
    <A extends readonly unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      reads += 1;
      const [until, found] = [wait, await read(...args)];
      await until;
      return found;
    };
  const { getMany, getSnapshot, list, listAll } = world.reader;
  const reader: Reader = {
    ...world.reader,
    getMany: delayed(getMany),
    getSnapshot: delayed(getSnapshot),
    list: delayed(list),
    listAll: delayed(listAll),
  };
  const { clock } = world;
  const handler = serveFor(issuer, { reader, clock }, { CACHE_TTL_SECONDS: String(ttlMs / 1_000), ...env });
  return {
    ask: async (claims: Record<string, unknown>): Promise<string> => {
      const seconds = Math.floor(world.clock.now() / 1_000);
      const token = await issuer.token({ iat: seconds, exp: seconds + 600, ...claims });
      return (await answerOf(handler, httpEvent('GET', PATH, { authorization: `Bearer ${token}` }))).said;
    },
    /** Delays the reads that begin from now on; the returned function ends the delay. */
    delay: (): (() => void) => {
      let end = () => {};
      wait = new Promise<void>((resolve) => {
        end = () => {
          wait = undefined;
          resolve();
        };
      });
      return end;
    },
    /** Reads that begin from now on are answered at once; those before are still delayed. */
    stopDelay: () => {
      wait = undefined;
    },
    reads: () => reads,
  };
}

interface Story {
  readonly env: Record<string, string>;
  /** Makes the state in which the claims are allowed; returns the claims, and the change that ends it. */
  readonly begin: () => Promise<{
    readonly claims: Record<string, unknown>;
    readonly change: () => Promise<unknown>;
  }>;
}

const map = () =>
  world.run('route.create', { method: 'GET', path: PATH, permission: 'reports', scope: place });
/** Somebody who may use the route. */
const reader = async (input: Record<string, unknown> = {}) => {
  await map();
  const owner = await user(input);
  await give(owner);
  return owner;
};

const STORIES: Readonly<Record<string, Story>> = {
  'an email that moves to somebody else': {
    env: { SUBJECT_FROM: 'email' },
    begin: async () => {
      const owner = await reader({ email: 'post@example.com' });
      const change = async () => {
        await world.run('user.update', { id: owner, email: 'other@example.com' });
        await user({ email: 'post@example.com' });
      };
      return { claims: { email: 'post@example.com', email_verified: true }, change };
    },
  },
  'a session that is revoked': {
    env: { REVOCATION: 'session:sid' },
    begin: async () => {
      const owner = await reader();
      const session = (await world.run('session.create', { user: owner })).id;
      const change = () => world.run('session.update', { id: session, status: 'revoked' });
      return { claims: { sub: owner, sid: session }, change };
    },
  },
  'a user who is disabled': {
    env: {},
    begin: async () => {
      const owner = await reader();
      return {
        claims: { sub: owner },
        change: () => world.run('user.update', { id: owner, status: 'disabled' }),
      };
    },
  },
  'a route that asks for more': {
    env: {},
    begin: async () => {
      const route = (await map()).id;
      const owner = await user();
      await give(owner);
      const change = () => world.run('route.update', { id: route, permission: 'payroll' });
      return { claims: { sub: owner }, change };
    },
  },
};

describe.each(Object.keys(STORIES))('%s', (name) => {
  const { env, begin } = STORIES[name] as Story;

  test.each([
    [0, 1, 'route'],
    [0, 1, 'api'],
    [TTL, TTL, 'route'],
    [TTL, TTL, 'api'],
  ])(
    'time-to-live %i ms, the request %i ms after the slow read began, POLICY_COVERS=%s',
    async (ttl, later, covers) => {
      const { claims, change } = await begin();
      world.settle();
      const { ask, delay, stopDelay, reads } = open(ttl, {
        ...env,
        HTTP_ANSWER: 'policy',
        POLICY_COVERS: covers,
      });
      expect(await ask(claims)).toBe('allow');
      world.clock.advance(TTL + 1);
      const end = delay();
      const [begun, early] = [reads(), ask(claims)];
      while (reads() === begun) await settle();
      await change();
      stopDelay();
      world.clock.advance(later);
      const [before, late] = [reads(), ask(claims)];
      while (reads() === before) await settle();
      end();
      expect(await late).not.toBe('allow');
      await early;
      expect(await ask(claims)).not.toBe('allow');
    },
  );
});
