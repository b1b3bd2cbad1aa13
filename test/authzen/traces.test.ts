import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createFixture, QUESTION, send, serve } from './support.ts';

const exporter = new InMemorySpanExporter();

const fixture = await createFixture();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
beforeEach(() => exporter.reset());
afterAll(() => {
  trace.disable();
  context.disable();
});

const PATH = '/access/v1/evaluation';
const shown = () =>
  exporter
    .getFinishedSpans()
    .map(({ name, status, attributes }) => ({ name, status: status.code, attributes }));

test('an evaluation has the spans of a request; one from the cache has no read', async () => {
  const handle = serve(fixture);
  await send(handle, PATH, { token: fixture.token.a, body: QUESTION });
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names.filter((name) => name === 'gatehouse.read').length).toBeGreaterThan(0);
  expect(names.filter((name) => name !== 'gatehouse.read')).toEqual([
    'gatehouse.token',
    'gatehouse.decide',
    'gatehouse.authorize',
  ]);
  exporter.reset();
  await send(handle, PATH, { token: fixture.token.a, body: QUESTION });
  expect(shown().map(({ name }) => name)).not.toContain('gatehouse.read');
});

test('a refused credential is no error; its code is in the span', async () => {
  await send(serve(fixture), PATH, { token: 'not.a.token', body: QUESTION });
  expect(shown().at(-1)).toMatchObject({
    name: 'gatehouse.authorize',
    status: 0,
    attributes: { 'http.response.status_code': 401, 'gatehouse.reason': expect.any(String) },
  });
});

test('a fault sets the status with its code', async () => {
  const reader = {
    ...fixture.world.reader,
    getMany: () => Promise.reject(new Error('a message that may quote alice')),
  };
  await send(serve(fixture, {}, { reader }), PATH, { token: fixture.token.a, body: QUESTION });
  expect(shown().at(-1)).toMatchObject({
    status: 2,
    attributes: { 'http.response.status_code': 503, 'error.type': 'internal' },
  });
});
