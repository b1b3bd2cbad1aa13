import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ProxyTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Engine } from '../engine/index.ts';
import { noNotes, type Reader } from '../table/reader.ts';
import type { Identify } from './credentials/identity.ts';
import { CredentialsError, faultCodeOf } from './errors.ts';

/** The steps of a request that have a span; `authorize` is the request itself. */
type Step = 'authorize' | 'token' | 'route' | 'read' | 'decide';

/** The span of a step. What it takes are codes, reasons and counts: no token, no claim, no name, no id of a person. */
export interface StepSpan {
  readonly note: (attributes: Attributes) => void;
  /** Sets the code of an error, and the status unless it is only the caller's credentials that are refused. */
  readonly fail: (error: unknown) => void;
}

/**
 * Runs a step and returns what it returns. The step gets its span; undefined if nothing is recorded.
 *
 * @param header the headers of the request, for the step `authorize`
 */
export type Trace = <T>(step: Step, work: (span: StepSpan | undefined) => T, header?: Header) => T;

/** All values of a header, by its name in lower case. */
type Header = (name: string) => readonly string[];

export const untraced: Trace = (_, work) => work(undefined);

/**
 * Records the steps of requests as spans of OpenTelemetry, with the tracer provider that the process has
 * registered (https://opentelemetry.io/docs/specs/otel/trace/api/). Without a provider, and below a span that
 * is not sampled, it calls the step and does nothing else.
 *
 * @param xrayHeader the trace header of the present invocation: Lambda sets `_X_AMZN_TRACE_ID` anew for each
 */
export function createTrace(xrayHeader: () => string | undefined): Trace {
  let tracer: Tracer | undefined;
  return (step, work, header) => {
    // A provider may be registered late; until then every request looks for one, and its steps do not.
    if (tracer === undefined && header !== undefined) tracer = registeredTracer();
    if (tracer === undefined) return work(undefined);
    const within = context.active();
    // A step outside a request is not recorded, such as the first read at cold start.
    if (header === undefined && !trace.getSpan(within)?.isRecording()) return work(undefined);
    const parent = header === undefined ? within : parentOf(within, header, xrayHeader());
    const span = tracer.startSpan(`gatehouse.${step}`, {}, parent);
    const inside = trace.setSpan(parent, span);
    return span.isRecording() ? record(span, inside, work) : context.with(inside, work, undefined, undefined);
  };
}

/** The tracer of the registered provider; undefined while there is none. */
function registeredTracer(): Tracer | undefined {
  const tracer = trace.getTracer('gatehouse');
  return tracer instanceof ProxyTracer ? undefined : tracer;
}

function record<T>(span: Span, inside: Context, work: (span: StepSpan) => T): T {
  let isFailed = false;
  const step: StepSpan = {
    note: (attributes) => void span.setAttributes(attributes),
    fail: (error) => {
      // The first error is the cause; what is thrown to the caller after it says less.
      if (isFailed) return;
      isFailed = true;
      if (error instanceof CredentialsError) span.setAttribute('gatehouse.reason', error.code);
      else
        span
          .setAttribute('error.type', faultCodeOf(error))
          .setStatus({ code: SpanStatusCode.ERROR, message: faultCodeOf(error) });
    },
  };
  const failed = (error: unknown): never => {
    step.fail(error);
    span.end();
    throw error;
  };
  const ended = <V>(value: V): V => {
    span.end();
    return value;
  };
  let result: T;
  try {
    result = context.with(inside, work, undefined, step);
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? (result.then(ended, failed) as T) : ended(result);
}

/**
 * What a request is part of: the span around it, such as that of Lambda's OpenTelemetry layer; or the invocation,
 * if X-Ray samples it; or what the caller says, which may be a lie and decides nothing but where spans are shown.
 */
function parentOf(within: Context, header: Header, xrayHeader: string | undefined): Context {
  if (trace.getSpanContext(within) !== undefined) return within;
  const invocation = fromXray(xrayHeader);
  const remote = invocation?.traceFlags === 1 ? invocation : (fromCaller(header) ?? invocation);
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** Of version 00, 55 characters; the flags say whether it is sampled (https://www.w3.org/TR/trace-context/#traceparent-header). */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The context in the header `traceparent`; undefined unless there is exactly one that is valid. */
function fromCaller(header: Header): SpanContext | undefined {
  let values: readonly string[];
  try {
    values = header('traceparent');
  } catch {
    // The event is not what AWS sends: the authorizer refuses it for that.
    return undefined;
  }
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(values[0] ?? '') ?? [];
  return values.length === 1 ? valid(traceId, spanId, Number.parseInt(flags, 16) & 1) : undefined;
}

/** The longest trace header that is read. Lambda's own has some 100 characters. */
const MAX_XRAY = 512;

/** The context in a trace header of X-Ray (AWS X-Ray, Tracing header). */
function fromXray(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length > MAX_XRAY) return undefined;
  const [, time = '', random = ''] = /(?:^|;)Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;|$)/.exec(text) ?? [];
  const [, spanId = ''] = /(?:^|;)Parent=([0-9a-f]{16})(?:;|$)/.exec(text) ?? [];
  return valid(`${time}${random}`, spanId, /(?:^|;)Sampled=1(?:;|$)/.test(text) ? 1 : 0);
}

function valid(traceId: string, spanId: string, traceFlags: number): SpanContext | undefined {
  const found = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

/** Verifies credentials in a step of its own. */
export const withTokenSpans =
  (identify: Identify, run: Trace): Identify =>
  (request) =>
    run('token', () => identify(request));

/** An engine whose checks are steps; what they read is a step of theirs. */
export const withDecideSpans = (engine: Engine, run: Trace): Engine => ({
  ...engine,
  checkAsked: (ask, options) => run('decide', () => engine.checkAsked(ask, options)),
  checkMany: (requests, options) => run('decide', () => engine.checkMany(requests, options)),
  checkManyAsked: (asks, options) => run('decide', () => engine.checkManyAsked(asks, options)),
  decideAsked: (asks, options) => run('decide', () => engine.decideAsked(asks, options)),
});

type TableReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/** A reader whose reads are steps. One that a request shares with another is a step of the one that began it. */
export function withReadSpans(reader: TableReader, run: Trace): TableReader {
  const byKeys = (read: TableReader['getMany']): TableReader['getMany'] => {
    return (keys, notes = noNotes()) =>
      run('read', (span) => {
        if (span === undefined) return read(keys, notes);
        const before = notes.calls;
        return read(keys, notes).finally(() =>
          span.note({ 'gatehouse.read.keys': keys.length, 'gatehouse.read.calls': notes.calls - before }),
        );
      });
  };
  return {
    getMany: byKeys(reader.getMany),
    getSnapshot: byKeys(reader.getSnapshot),
    list: (query, notes) => run('read', () => reader.list(query, notes)),
    listAll: (query, notes) => run('read', () => reader.listAll(query, notes)),
  };
}
