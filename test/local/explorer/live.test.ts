import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Observation } from '../../../engine/index.ts';
import type { LiveEvent } from '../../../explorer/service/index.ts';
import { createEventRing } from '../../../local/explorer/live/event-ring.ts';
import { streamEvents } from '../../../local/explorer/live/event-stream.ts';
import { createFeed } from '../../../local/explorer/live/feed.ts';
import { showingUses } from '../../../local/explorer/live/uses.ts';
import { createGateway, type Gateway } from '../../../local/gateway/gateway.ts';
import type { Answer } from '../../../provisioning/index.ts';
import { eventually } from '../../support/eventually.ts';
import { listen } from '../../support/listening.ts';
import { httpApiV2, request } from '../support.ts';

interface Numbered {
  readonly id: number;
  readonly text: string;
}

test('the ring of events calls back after each one, until it is no longer wanted', () => {
  const ring = createEventRing<Numbered>(3);
  const seen: number[] = [];
  const stop = ring.subscribe(() => seen.push(ring.newest()));
  ring.add({ text: 'a' });
  ring.add({ text: 'b' });
  stop();
  ring.add({ text: 'c' });
  expect(seen).toEqual([1, 2]);
});

/** Serves a ring; a reader collects what it reads until it is closed. */
async function serveRing(most: number) {
  const ring = createEventRing<Numbered>(most);
  const open: ServerResponse[] = [];
  const url = await listen((incoming, outgoing) => {
    open.push(outgoing);
    const last = incoming.headers['last-event-id'];
    streamEvents(ring, outgoing, typeof last === 'string' ? last : undefined);
  });
  const read = async (lastEventId?: string) => {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await new Promise<IncomingMessage>((resolve) => {
      const outgoing = httpRequest(url, { headers, agent: false }, resolve).end();
      outgoing.on('error', () => undefined);
      onTestFinished(() => void outgoing.destroy());
    });
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    return { text: () => text, response };
  };
  return { ring, read, open };
}

/** What a reader got: the numbers of events, and how many were missed before the next. */
const numbersIn = (text: string): readonly (number | string)[] =>
  [...text.matchAll(/^id: (\d+)$|^event: missed\ndata: \{"count":(\d+)\}$/gm)].map(([, id, missed]) =>
    missed === undefined ? Number(id) : `missed ${missed}`,
  );

describe('the event stream', () => {
  test('sends what is kept, then what happens, in order', async () => {
    const { ring, read } = await serveRing(3);
    for (const text of ['a', 'b', 'c', 'd']) ring.add({ text });
    const { text } = await read();
    await eventually(() => expect(numbersIn(text())).toEqual([2, 3, 4]));
    ring.add({ text: 'line\nbreak' });
    await eventually(() => expect(numbersIn(text())).toEqual([2, 3, 4, 5]));
    expect(text()).toMatch(/^retry: 1000\n\nid: 2\ndata: \{"id":2,"text":"b"\}\n\n/);
    expect(text()).toContain('data: {"id":5,"text":"line\\nbreak"}\n\n');
  });

  test.each<[string, readonly (number | string)[]]>([
    ['3', [4]],
    ['4', []],
    ['2', [3, 4]],
    ['0', ['missed 1', 2, 3, 4]],
    ['99', []],
    ['-1', [2, 3, 4]],
    ['x', [2, 3, 4]],
    ['', [2, 3, 4]],
  ])('after Last-Event-ID %j it continues with %j', async (last, expected) => {
    const { ring, read } = await serveRing(3);
    for (const text of ['a', 'b', 'c', 'd']) ring.add({ text });
    const { text } = await read(last);
    ring.add({ text: 'end' });
    await eventually(() => expect(numbersIn(text()).at(-1)).toBe(5));
    expect(numbersIn(text()).slice(0, -1)).toEqual(expected);
  });

  test('a reader that does not read holds little memory, and gets to know what it missed', async () => {
    const { ring, read, open } = await serveRing(10);
    const { response, text } = await read();
    response.pause();
    const large = 'x'.repeat(10_000);
    // Far more than what sockets take.
    for (let count = 0; count < 5_000; count++) {
      ring.add({ text: large });
      if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(open[0]?.writableLength).toBeLessThan(100_000);
    response.resume();
    await eventually(() => expect(numbersIn(text()).at(-1)).toBe(5_000));
    const numbers = numbersIn(text());
    const missed = numbers
      .flatMap((each) => (typeof each === 'string' ? Number(each.slice('missed '.length)) : []))
      .reduce((sum, each) => sum + each, 0);
    const got = numbers.filter((each) => typeof each === 'number');
    expect(missed + got.length).toBe(5_000);
    expect(missed).toBeGreaterThan(1_000);
    expect(got.slice(-10)).toEqual(Array.from({ length: 10 }, (_, index) => 4_991 + index));
  });

  test('a reader that leaves is forgotten', async () => {
    const { ring, read, open } = await serveRing(3);
    const { response } = await read();
    response.destroy();
    await eventually(() => expect(open[0]?.closed).toBe(true));
    expect(() => ring.add({ text: 'a' })).not.toThrow();
    expect(open[0]?.writableLength).toBe(0);
  });
});

describe('the feed of the local stack', () => {
  const OBSERVATION: Observation = {
    subject: 'user:ann',
    permission: 'reports',
    scope: 'tenant:acme',
    tenant: 'tenant:acme',
    decision: { allowed: true, reason: 'role' },
    fault: undefined,
    consistency: 'cached',
    calls: 1,
    units: 4,
    milliseconds: 2,
    isFirst: true,
    isStale: false,
    isKept: false,
  };
  const eventsOf = (feed: ReturnType<typeof createFeed>): readonly LiveEvent[] => {
    const events: LiveEvent[] = [];
    for (let next = feed.events.after(0); next; next = feed.events.after(next.id)) events.push(next);
    return events;
  };

  test('a decision is an event, with what it cost', () => {
    const feed = createFeed(() => 5);
    feed.observer('AuthZEN')(OBSERVATION);
    feed.observer('AuthZEN')({ ...OBSERVATION, decision: undefined, tenant: undefined, fault: 'transient' });
    const { decision: _, fault: __, tenant: ___, ...same } = OBSERVATION;
    const common = { ...same, kind: 'decision', at: 5, source: 'AuthZEN' };
    expect(eventsOf(feed)).toEqual([
      { ...common, id: 1, allowed: true, reason: 'role', tenant: 'tenant:acme' },
      { ...common, id: 2, allowed: false, fault: 'transient' },
    ]);
  });

  /** A gateway whose authorizer is observed while it makes these decisions, and then answers this. */
  function gatewayOf(
    feed: ReturnType<typeof createFeed>,
    decide: () => Promise<readonly boolean[]>,
    isAuthorized = true,
  ): Gateway {
    const observe = feed.observer();
    const invoke = async () => {
      for (const allowed of await decide())
        observe({ ...OBSERVATION, decision: { allowed, reason: allowed ? 'role' : 'no_grant' } });
      return { isAuthorized };
    };
    return createGateway({
      log: feed.log,
      within: feed.within,
      clock: () => 5,
      apis: [httpApiV2({ name: 'shop', authorizer: { invoke } })],
    });
  }

  test('what is decided for a request of the gateway has its API and its line, without the query', async () => {
    const feed = createFeed(() => 5);
    await gatewayOf(feed, async () => [true])(request('GET /pets/1?token=secret'));
    expect(eventsOf(feed)).toEqual([
      expect.objectContaining({
        kind: 'decision',
        source: 'shop',
        request: { method: 'GET', path: '/pets/1' },
      }),
    ]);
    expect(JSON.stringify(eventsOf(feed))).not.toContain('secret');
  });

  test('a request without a decision is an event of its own', async () => {
    const feed = createFeed(() => 5);
    const gateway = gatewayOf(feed, async () => []);
    await gateway(request('GET /pets/1'));
    await gateway(request('GET /pets/1', []));
    await gateway(request(`GET /${'x'.repeat(9_000)}`));
    const common = { kind: 'request', at: 5, source: 'shop', method: 'GET', decisions: 0 };
    expect(eventsOf(feed)).toEqual([
      { ...common, id: 1, path: '/pets/1', status: 200, authorizer: 'off' },
      { ...common, id: 2, path: '/pets/1', status: 401, authorizer: 'skipped' },
      { ...common, id: 3, path: expect.any(String), status: 404 },
    ]);
    expect(eventsOf(feed).map((event) => JSON.stringify(event).length < 1_000)).toEqual([true, true, true]);
  });

  test.each<[string, readonly boolean[], boolean, readonly unknown[]]>([
    ['its decision', [true], true, []],
    ['its decision, a refusal', [false], false, []],
    ['a policy of several decisions', [true, true], true, [[200, 2]]],
    ['a policy of several decisions in which it is not', [true, true], false, [[403, 2]]],
    ['a policy of one decision in which it is not', [true], false, [[403, 1]]],
    ['a policy of one refusal, and other rights', [false], true, [[200, 1]]],
  ])('a request that is answered by %s', async (_, decisions, isAuthorized, expected) => {
    const feed = createFeed(() => 5);
    await gatewayOf(feed, async () => decisions, isAuthorized)(request('GET /pets/1'));
    const requests = eventsOf(feed).flatMap((event) => (event.kind === 'request' ? [event] : []));
    expect(requests.map((event) => [event.status, event.decisions])).toEqual(expected);
    expect(eventsOf(feed)).toHaveLength(decisions.length + expected.length);
  });

  test('requests that are served at the same time keep their decisions apart', async () => {
    const feed = createFeed(() => 5);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let count = 0;
    const gateway = gatewayOf(feed, async () => {
      const isFirst = ++count === 1;
      if (isFirst) await released;
      return isFirst ? [true] : [];
    });
    const first = gateway(request('GET /pets/1'));
    await gateway(request('GET /pets/2'));
    release();
    await first;
    expect(eventsOf(feed)).toMatchObject([
      { kind: 'request', path: '/pets/2' },
      { kind: 'decision', request: { path: '/pets/1' } },
    ]);
  });

  test('without a name, only decisions for requests of the gateway are shown', () => {
    const feed = createFeed(() => 5);
    feed.observer()(OBSERVATION);
    expect(eventsOf(feed)).toEqual([]);
  });
});

describe('uses of a mandate', () => {
  const INPUT = {
    mandate: 'paying',
    subject: 'user:ann',
    actor: 'agent:bot',
    permission: 'invoices:pay:invoice',
    scope: 'account:contoso',
    properties: { amount: 300 },
  };
  /** What is shown of one that is answered so. */
  async function shownOf(event: unknown, answer: Answer): Promise<readonly LiveEvent[]> {
    const events = createEventRing<LiveEvent>(9);
    let now = 100;
    const answered = async () => {
      now += 7;
      return answer;
    };
    expect(await showingUses(answered, events, () => now)(event)).toBe(answer);
    return [events.after(0)].flatMap((each) => each ?? []);
  }
  const use = { command: 'mandate.use', input: INPUT };

  test('are decisions: who acts for whom, by which mandate, and what became of it', async () => {
    const receipt = { mandate: 'paying', use: 'u', remaining: 200, allowed: true };
    expect(await shownOf(use, { ok: true, result: receipt })).toEqual([
      {
        id: 1,
        at: 107,
        kind: 'decision',
        source: 'provisioning',
        subject: 'user:ann',
        actor: { subject: 'agent:bot', mandate: 'mandate:paying' },
        permission: 'invoices:pay:invoice',
        scope: 'account:contoso',
        allowed: true,
        reason: 'counted',
        consistency: 'strong',
        milliseconds: 7,
        isFirst: false,
        isStale: false,
      },
    ]);
    const refused = { mandate: 'paying', allowed: false, reason: 'budget_spent' };
    expect(await shownOf(use, { ok: true, result: refused })).toMatchObject([
      { allowed: false, reason: 'budget_spent' },
    ]);
    const error = { code: 'contended', message: '', retryable: true } as const;
    expect(await shownOf(use, { ok: false, error })).toMatchObject([{ allowed: false, fault: 'contended' }]);
  });

  test('are no other commands, and no trials', async () => {
    const result = { allowed: true };
    for (const event of [
      { ...use, command: 'mandate.read' },
      { ...use, dryRun: true },
      { batch: [use] },
      null,
    ])
      expect(await shownOf(event, { ok: true, result })).toEqual([]);
  });
});
