import { context, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { decisionKey } from '../../table/keys.ts';
import { createClock } from '../support/world.ts';
import { partsFor, revisionItem, rosterItems, routeItem, VARIABLES } from './served.ts';
import {
  ALICE,
  createIssuer,
  createReadTable,
  decisionItem,
  httpEvent,
  PLACE,
  restRequestEvent,
  settle,
} from './support.ts';

const ITEMS = [
  ...rosterItems(),
  decisionItem(decisionKey({ type: 'page', id: 'payroll' }), { registered: true }),
  ...[revisionItem(), routeItem()],
];

const issuer = await createIssuer();
afterEach(() => {
  trace.disable();
  context.disable();
});

/** An authorizer whose routes are loaded, and the spans of what it is asked then. */
async function setUp({
  sampler,
  isRegistered = true,
  xray,
}: {
  readonly sampler?: Sampler;
  readonly isRegistered?: boolean;
  readonly xray?: string;
} = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(sampler && { sampler }),
  });
  trace.disable();
  context.disable();
  if (isRegistered) provider.register();
  const { reader, failures } = createReadTable(ITEMS);
  const clock = createClock();
  const environment: Record<string, string | undefined> = { ...VARIABLES, _X_AMZN_TRACE_ID: xray };
  const handler = createHandlerFrom(environment, partsFor(issuer, { reader, clock }));
  await settle();
  const atStart = exporter.getFinishedSpans();
  const spansOf = (act: () => Promise<unknown>): Promise<readonly ReadableSpan[]> => {
    exporter.reset();
    return act().then(
      () => exporter.getFinishedSpans(),
      () => exporter.getFinishedSpans(),
    );
  };
  return { atStart, environment, failures, handler, spansOf };
}

const authorization = async (claims: Record<string, unknown> = {}) => `Bearer ${await issuer.token(claims)}`;
const event = async (page = 'roster', headers: Record<string, unknown> = {}) =>
  httpEvent('GET', `/locations/${PLACE}/pages/${page}`, { authorization: await authorization(), ...headers });

/** Names, indented by depth, in the order in which the spans began. */
function shown(spans: readonly ReadableSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const depthOf = (span: ReadableSpan): number => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '');
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  const startOf = ({ startTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1e9 + nanoseconds;
  return [...spans]
    .sort((first, second) => startOf(first) - startOf(second) || depthOf(first) - depthOf(second))
    .map((span) => `${'  '.repeat(depthOf(span))}${span.name}`);
}

const root = (spans: readonly ReadableSpan[]): ReadableSpan => {
  const found = spans.find(({ name }) => name === 'gatehouse.authorize');
  if (found === undefined) throw new Error('the request has no span');
  return found;
};
const parentOf = (spans: readonly ReadableSpan[]) => {
  const { traceId, spanId } = root(spans).parentSpanContext ?? {};
  return traceId && `${traceId}-${spanId}`;
};

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const XRAY =
  'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a87bd80c:1|68fd508a:5';
const XRAY_PARENT = '5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8';

describe('the spans of a request', () => {
  it('an allow: the token, and the decision with its route and its read', async () => {
    const { handler, spansOf } = await setUp();
    const spans = await spansOf(async () => handler(await event()));
    expect(shown(spans)).toEqual([
      'gatehouse.authorize',
      '  gatehouse.token',
      '  gatehouse.decide',
      '    gatehouse.route',
      '    gatehouse.read',
    ]);
    expect(root(spans).attributes).toEqual({
      'gatehouse.outcome': 'allowed',
      'gatehouse.reason': 'role',
      'gatehouse.route': 'r1',
    });
    expect(spans.find(({ name }) => name === 'gatehouse.read')?.attributes).toEqual({
      'gatehouse.read.keys': 4,
      'gatehouse.read.calls': 1,
    });
    expect(spans.map(({ status }) => status.code)).toEqual(spans.map(() => 0));
  });

  it('a deny is no error: the span says its reason', async () => {
    const { handler, spansOf } = await setUp();
    const spans = await spansOf(async () => handler(await event('payroll')));
    expect(root(spans).attributes).toMatchObject({
      'gatehouse.outcome': 'denied',
      'gatehouse.reason': 'no_grant',
    });
    expect(root(spans).status.code).toBe(0);
  });

  it('401: the code, no error, and nothing after the token', async () => {
    const { handler, spansOf } = await setUp();
    const expired = { authorization: await authorization({ exp: 1 }) };
    const spans = await spansOf(async () => handler(await event('roster', expired)));
    expect(shown(spans)).toEqual(['gatehouse.authorize', '  gatehouse.token']);
    for (const { attributes, status } of spans) {
      expect(attributes['gatehouse.reason']).toBe('token_expired');
      expect(status.code).toBe(0);
    }
    expect(root(spans).attributes['gatehouse.outcome']).toBe('unauthorized');
  });

  it('a fault sets the status with its code, from the read up to the request', async () => {
    const { failures, handler, spansOf } = await setUp();
    failures.push(new GatehouseError('throttled', 'DynamoDB throttles'));
    const spans = await spansOf(async () => handler(await event()));
    const failed = spans.filter(({ status }) => status.code === 2);
    expect(failed.map(({ name }) => name).sort()).toEqual([
      'gatehouse.authorize',
      'gatehouse.decide',
      'gatehouse.read',
    ]);
    for (const { status, attributes } of failed) {
      expect(status.message).toBe('throttled');
      expect(attributes['error.type']).toBe('throttled');
    }
    expect(root(spans).attributes['gatehouse.outcome']).toBe('fault');
  });

  it('the message of a foreign error is in no span', async () => {
    const { failures, handler, spansOf } = await setUp();
    failures.push(new TypeError(`cannot read alice@example.com`));
    const spans = await spansOf(async () => handler(await event()));
    expect(root(spans).status).toEqual({ code: 2, message: 'internal' });
    expect(
      JSON.stringify(spans.map(({ status, attributes, events }) => [status, attributes, events])),
    ).not.toMatch(/alice/);
  });

  it('holds no token, no subject and no id of a place', async () => {
    const { handler, spansOf } = await setUp();
    const asked = await event('roster', { traceparent: TRACEPARENT });
    const spans = await spansOf(() => handler(asked));
    const text = JSON.stringify(
      spans.map(({ name, attributes, events, links }) => [name, attributes, events, links]),
    );
    for (const secret of [ALICE, PLACE, asked.headers.authorization as string])
      expect(text).not.toContain(secret);
  });
});

describe('what a request is part of', () => {
  const asked = async (xray: string | undefined, headers: Record<string, unknown>) => {
    const { handler, spansOf } = await setUp(xray === undefined ? {} : { xray });
    return parentOf(await spansOf(async () => handler(await event('roster', headers))));
  };

  it('the trace that the caller names in traceparent', async () => {
    expect(await asked(undefined, { traceparent: TRACEPARENT })).toBe(`${TRACE_ID}-${SPAN_ID}`);
  });

  it('the same from a REST API, whose headers come in any case', async () => {
    const { handler, spansOf } = await setUp();
    const headers = { Authorization: [await authorization()], TraceParent: [TRACEPARENT] };
    const spans = await spansOf(() =>
      handler(restRequestEvent('GET', `/locations/${PLACE}/pages/roster`, headers)),
    );
    expect(parentOf(spans)).toBe(`${TRACE_ID}-${SPAN_ID}`);
  });

  it("Lambda's invocation, if X-Ray samples it, whatever the caller says", async () => {
    expect(await asked(XRAY, { traceparent: TRACEPARENT })).toBe(XRAY_PARENT);
    const unsampled = XRAY.replace('Sampled=1', 'Sampled=0');
    expect(await asked(unsampled, { traceparent: TRACEPARENT })).toBe(`${TRACE_ID}-${SPAN_ID}`);
  });

  it('the present invocation: the environment is read for each request', async () => {
    const { environment, handler, spansOf } = await setUp({ xray: XRAY });
    await handler(await event());
    environment._X_AMZN_TRACE_ID = XRAY.replace('53995c3f42cd8ad8', '0123456789abcdef');
    expect(parentOf(await spansOf(async () => handler(await event())))).toBe(
      XRAY_PARENT.replace('53995c3f42cd8ad8', '0123456789abcdef'),
    );
  });

  it('the span around it, such as that of the OpenTelemetry layer', async () => {
    const { handler, spansOf } = await setUp({ xray: XRAY });
    const around = trace.getTracer('layer').startSpan('lambda');
    const spans = await spansOf(async () => {
      const asked = await event('roster', { traceparent: TRACEPARENT });
      await context.with(trace.setSpan(context.active(), around), () => handler(asked));
    });
    expect(root(spans).parentSpanContext?.spanId).toBe(around.spanContext().spanId);
  });

  it.each([
    ['not hexadecimal', `00-${TRACE_ID.replace('4', 'G')}-${SPAN_ID}-01`],
    ['zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['of another version', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['longer than it may be', `${TRACEPARENT}-${'a'.repeat(100_000)}`],
    ['two, joined by a comma', `${TRACEPARENT},${TRACEPARENT}`],
    ['no text', { traceparent: 1 }],
    ['script', '<script>alert(1)</script>'],
  ])('ignores a traceparent that is %s, and answers as without it', async (_, traceparent) => {
    const { handler, spansOf } = await setUp();
    const spans = await spansOf(async () => handler(await event('roster', { traceparent })));
    expect(parentOf(spans)).toBeUndefined();
    expect(root(spans).attributes['gatehouse.outcome']).toBe('allowed');
  });

  it('ignores a malformed trace header of the environment', async () => {
    for (const xray of ['', 'Root=1-x;Parent=y;Sampled=1', `${XRAY}${';a=b'.repeat(1_000)}`])
      expect(await asked(xray, {})).toBeUndefined();
  });

  it('a span for an event that is no event of an API', async () => {
    const { handler, spansOf } = await setUp();
    const spans = await spansOf(() => handler('nothing'));
    expect(root(spans).status).toEqual({ code: 2, message: 'event_malformed' });
  });
});

describe('what is not recorded', () => {
  it('nothing below a request that is not sampled', async () => {
    const { handler, spansOf } = await setUp({ sampler: new AlwaysOffSampler() });
    expect(await spansOf(async () => handler(await event()))).toEqual([]);
  });

  it('nothing without a provider; one that is registered later counts from then on', async () => {
    const { handler } = await setUp({ isRegistered: false });
    expect(await handler(await event())).toMatchObject({ isAuthorized: true });
    const exporter = new InMemorySpanExporter();
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    await handler(await event());
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain('gatehouse.authorize');
  });

  it('reads outside a request, such as the first one at cold start', async () => {
    expect((await setUp()).atStart).toEqual([]);
  });
});
