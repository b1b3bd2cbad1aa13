import { CredentialsError, faultCodeOf } from '../authorizer/errors.ts';
import { type Count, type Counted, type Ending, uncounted } from '../authorizer/metrics.ts';
import {
  type Handle,
  type HttpAnswer,
  type HttpRequest,
  MAX_BODY,
  readJson,
  requestIdOf,
  text,
  withId,
} from '../authorizer/service/http.ts';
import type { StepSpan, Trace } from '../authorizer/trace.ts';
import { GatehouseError } from '../table/errors.ts';
import { BadRequestError, ForbiddenError } from './errors.ts';
import type { createEvaluate, Verdict } from './evaluate.ts';
import { type Metadata, PATHS } from './metadata.ts';
import type { Caller } from './questions.ts';
import {
  type Batch,
  readActionSearch,
  readBatch,
  readEvaluation,
  readResourceSearch,
  readSubjectSearch,
} from './requests.ts';
import type { createSearches } from './search.ts';

export interface HandleParts {
  /** Verifies the credential of a request. Throws CredentialsError. */
  readonly callerOf: (authorization: readonly string[]) => Promise<Caller>;
  readonly evaluate: ReturnType<typeof createEvaluate>;
  readonly searches: ReturnType<typeof createSearches>;
  /** Undefined if the base URL is not known: then nothing is said of it. */
  readonly metadata: Metadata | undefined;
  /** Records the steps of each request. */
  readonly trace: Trace;
  /** Called with each fault and each refused credential. */
  readonly note: (error: unknown, requestId: string | undefined) => void;
  /** Counts each request with its outcome. */
  readonly counted?: Counted | undefined;
}

/** What is answered, and how it is counted. */
type Operation = (
  caller: Caller,
  body: unknown,
  requestId: string | undefined,
) => Promise<{ readonly answer: unknown; readonly ending: Ending }>;

const SEARCHED: Ending = { outcome: 'search' };

/** The most evaluations of one request that are explained. */
const MAX_EXPLAINED = 20;

/**
 * The Authorization API 1.0 as a function from requests to answers (section 10). An error is a text: 400 with
 * the field, 401, 403, 404, 405, 413, or 503 for a fault of ours; a deny is an answer with 200.
 */
export function createHandle(parts: HandleParts): Handle {
  const { callerOf, evaluate, searches, trace, metadata, note, counted = uncounted } = parts;

  const single: Operation = async (caller, body, requestId) => {
    const { options, ...evaluation } = readEvaluation(body);
    const [verdict] = await evaluate(caller, [evaluation], options?.explain === true, requestId);
    const { decision, context } = verdict as Verdict;
    return {
      answer: verdict,
      ending: { outcome: context.reason, decisions: 1, allowed: decision ? 1 : 0 },
    };
  };

  const batch: Operation = async (caller, body, requestId) => {
    const read = readBatch(body);
    if (read === undefined) return single(caller, body, requestId);
    const isExplained = read.options?.explain === true;
    if (isExplained && read.evaluations.length > MAX_EXPLAINED)
      throw new BadRequestError(`options.explain takes at most ${MAX_EXPLAINED} evaluations`);
    const right = read.evaluations.flatMap((each) => ('value' in each ? [each.value] : []));
    const verdicts = [...(await evaluate(caller, right, isExplained, requestId))];
    const all = read.evaluations.map((each) =>
      'value' in each ? (verdicts.shift() as Verdict) : faulty(each.problem),
    );
    const evaluations = untilDecided(all, read.options);
    const allowed = evaluations.filter(({ decision }) => decision).length;
    return {
      answer: { evaluations },
      ending: { outcome: 'evaluations', decisions: evaluations.length, allowed },
    };
  };

  const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
    [PATHS.evaluation, single],
    [PATHS.evaluations, batch],
    [PATHS.subjects, searched((caller, body, id) => searches.subjects(caller, readSubjectSearch(body), id))],
    [
      PATHS.resources,
      searched((caller, body, id) => searches.resources(caller, readResourceSearch(body), id)),
    ],
    [PATHS.actions, searched((caller, body, id) => searches.actions(caller, readActionSearch(body), id))],
  ]);

  async function answer(
    { method, paths, header, body }: HttpRequest,
    loggedId: string | undefined,
    count: Count,
  ): Promise<HttpAnswer> {
    if (metadata && paths.includes(metadata.path)) {
      if (method !== 'GET' && method !== 'HEAD') return wrongMethod('GET, HEAD');
      count({ outcome: 'metadata' });
      return json(metadata.document, 'public, max-age=3600');
    }
    const base = metadata?.base ?? '';
    // A proxy in front may have taken the path of the base URL away.
    const below = (path: string): string => (path.startsWith(`${base}/`) ? path.slice(base.length) : path);
    const [operation] = paths.flatMap((path) => operations.get(path) ?? operations.get(below(path)) ?? []);
    if (operation === undefined) return text(404, 'there is nothing at this path');
    if (method !== 'POST') return wrongMethod('POST');
    if (body === undefined) return text(413, `the body is larger than ${MAX_BODY} bytes`);
    const caller = await callerOf(header('authorization'));
    const done = await operation(caller, readBody(header('content-type'), body), loggedId);
    count(done.ending);
    return json(done.answer, 'no-store');
  }

  const handle = async (
    request: HttpRequest,
    span: StepSpan | undefined,
    count: Count,
  ): Promise<HttpAnswer> => {
    const requestId = requestIdOf(request);
    const loggedId = requestId ?? request.invocationId;
    try {
      const answered = await answer(request, loggedId, count);
      if (answered.status >= 400) count({ outcome: 'invalid' });
      span?.note({ 'http.response.status_code': answered.status });
      return withId(answered, requestId);
    } catch (error) {
      const refusal = refusalOf(error);
      count(endingOf(error, refusal));
      span?.note({ 'http.response.status_code': refusal.status });
      if (error instanceof CredentialsError) span?.note({ 'gatehouse.reason': error.code });
      else if (refusal.status >= 500) span?.fail(error);
      if (refusal.status === 401 || refusal.status >= 500) note(error, loggedId);
      return withId(refusal, requestId);
    }
  };

  return (request) =>
    trace('authorize', (span) => counted((count) => handle(request, span, count)), request.header);
}

const searched =
  (search: (...of: Parameters<Operation>) => Promise<unknown>): Operation =>
  async (...of) => ({ answer: await search(...of), ending: SEARCHED });

function endingOf(error: unknown, { status }: HttpAnswer): Ending {
  if (status >= 500) return { outcome: faultCodeOf(error), isFault: true };
  if (status === 401) return { outcome: 'unauthorized' };
  return { outcome: status === 403 ? 'forbidden' : 'invalid' };
}

/** One evaluation that cannot be read: it is denied, and the others are decided. */
const faulty = (message: string) => ({ decision: false, context: { error: { status: 400, message } } });

/** The decisions up to the one that decides, as the semantic says; it is the last. */
function untilDecided<T extends { readonly decision: boolean }>(
  decisions: readonly T[],
  options: Batch['options'],
): readonly T[] {
  const semantic = options?.evaluations_semantic ?? 'execute_all';
  if (semantic === 'execute_all') return decisions;
  const last = decisions.findIndex(({ decision }) => decision === (semantic === 'permit_on_first_permit'));
  return last < 0 ? decisions : decisions.slice(0, last + 1);
}

function refusalOf(error: unknown): HttpAnswer {
  if (error instanceof BadRequestError) return text(400, error.message);
  if (error instanceof CredentialsError)
    return text(401, 'a valid credential is required', { 'WWW-Authenticate': 'Bearer' });
  if (error instanceof ForbiddenError) return text(403, 'the caller may evaluate nowhere');
  // Of what callers say, only the cursor in a token reaches the engine unread.
  if (error instanceof GatehouseError && error.code === 'invalid' && error.field === 'cursor')
    return text(400, 'page.token does not belong to this query');
  return text(503, 'no decision can be made now', { 'Retry-After': '1' });
}

const json = (value: unknown, cacheControl: string): HttpAnswer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': cacheControl },
  body: JSON.stringify(value),
});

const wrongMethod = (allowed: string): HttpAnswer =>
  text(405, `this path takes ${allowed}`, { Allow: allowed });

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;

/** @throws BadRequestError for what is not JSON in UTF-8 */
function readBody(contentType: readonly string[], body: Uint8Array): unknown {
  if (contentType.length !== 1 || !JSON_TYPE.test(contentType[0] as string))
    throw new BadRequestError('Content-Type is not application/json');
  const read = readJson(body);
  if ('problem' in read) throw new BadRequestError(read.problem);
  return read.value;
}
