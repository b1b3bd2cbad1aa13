import { parse } from 'yaml';
import type { Authorizer } from '../../authorizer/index.ts';
import type { Handle } from '../../authorizer/service/http.ts';
import { createHandleFrom } from '../../authzen/compose.ts';
import { EVALUATE } from '../../authzen/questions.ts';
import type { Decision, Given } from '../../engine/index.ts';
import { createService } from '../../explorer/service/index.ts';
import { bearer, type LambdaEvent, lambdaGuard } from '../../middleware/index.ts';
import type { Reader } from '../../table/reader.ts';
import { type TestEngine, testEngine } from '../../testing/index.ts';
import { answerOf as answered, partsFor, serveFor } from '../authorizer/served.ts';
import { AUDIENCE, createIssuer, goodClaims, httpEvent, ISSUER, NOW } from '../authorizer/support.ts';
import { type Sent, send } from '../authzen/support.ts';
import { createLogged } from '../support/log.ts';

export { AUDIENCE, base64url, goodClaims, httpEvent, ISSUER } from '../authorizer/support.ts';

/** Whoever takes an input from outside: each published fault is tried at those that have one of its shape. */
export const DOORS = [
  'engine',
  'authorizer',
  'middleware',
  'AuthZEN',
  'explorer',
  'provisioning',
  'command line',
] as const;
export type Door = (typeof DOORS)[number];

/** A question that every door can ask: a permission `location:ACTION:location` at a location, from an address. */
export interface Question {
  readonly who: string;
  readonly action?: string;
  readonly where: string;
  readonly ip?: string;
}

/** Answers `allow`, or the reason of the refusal; what is no decision begins with its status. */
export type Ask = (question: Question) => Promise<string>;
export const ASKING = ['engine', 'authorizer', 'middleware', 'AuthZEN', 'explorer'] as const;

/** One issuer and its key for all: making a key takes longer than most of these tests. */
export const issuer = await createIssuer();
export const tokenOf = (sub: string, changes: Record<string, unknown> = {}, header = {}) =>
  issuer.token(goodClaims({ sub, ...changes }), header);

export const TOKENS = { TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE } as const;
const keys = async () => new Response(JSON.stringify({ keys: [issuer.jwk] }));

export const [READ, WRITE] = ['location:read:location', 'location:write:location'] as const;

/** What every model holds beside its own: the routes of the questions, and the enforcement point. */
const COMMON = {
  permissions: [EVALUATE, READ, WRITE],
  scopes: { t: { type: 'tenant', id: 't' }, north: { type: 'location', parent: 't', id: 'north' } },
  roles: { 'enforcement point': { global: true, allow: [EVALUATE] } },
  users: { pep: { id: 'pep', globalRoles: ['enforcement point'] } },
  routes: [
    {
      api: 'default',
      method: 'GET',
      path: '/ask/{action}/{place}',
      permission: 'location:{action}:location',
      scope: 'location:{place}',
    },
  ],
};

type Section = Readonly<Record<string, unknown>>;

/** A manifest with a tenant `t`; without scopes it has a place in the north. */
export interface Model extends Section {
  readonly roles: Section;
  readonly users?: Section;
  readonly routes?: readonly Section[];
}
export const modelOf = (manifest: string): Model => parse(manifest);

/**
 * The doors of a model, to which the routes and the enforcement point are added.
 * Nothing is cached at first; `of` gives doors that have asked nothing, over the table as it is by then.
 */
export async function open(model: Model) {
  const kit = await testEngine(
    {
      ...COMMON,
      ...model,
      roles: { ...COMMON.roles, ...model.roles },
      users: { ...COMMON.users, ...model.users },
      routes: [...COMMON.routes, ...(model.routes ?? [])],
    },
    { at: NOW },
  );
  return { kit, ...doorsOf(kit, kit.reader) };
}

/** The doors over a table. */
export function doorsOf(kit: TestEngine, reader: Reader, env: Readonly<Record<string, string>> = {}) {
  const { lines, write } = createLogged();
  // It goes on by a millisecond whenever it is read: routes are read twice, at different instants.
  let time = kit.clock.now();
  const clock = { now: () => time++ };
  const parts = {
    reader,
    clock: { ...clock, wait: async () => {} },
    log: write,
  };
  const authorizer = serveFor(issuer, parts, env);
  const handle = createHandleFrom(
    { TABLE_NAME: 'table', PUBLIC_URL: 'https://pdp.example', ...TOKENS, ...env },
    partsFor(issuer, parts),
  );
  const explorer = createService({
    reader,
    provisioning: async () => Promise.reject(new Error('not here')),
    clock,
    about: { place: 'a test', canWrite: false, isLive: false },
  });
  const who = bearer({ issuer: ISSUER, audience: AUDIENCE }, { clock, fetch: keys });
  const guard = lambdaGuard({ engine: kit.engine, who, showReason: true, now: clock.now });
  const guarded = guard(
    ({ pathParameters }: LambdaEvent) => `location:${pathParameters?.action}:location`,
    'location:{place}',
  ).wrap(() => ({ statusCode: 200, body: '' }));

  const ask: Readonly<Record<(typeof ASKING)[number], Ask>> = {
    engine: async ({ who, action = 'read', where, ip }) => {
      const { allowed, reason } = await kit.engine.check(
        `user:${who}`,
        `location:${action}:location`,
        `location:${where}`,
        given(ip),
      );
      return allowed ? 'allow' : reason;
    },
    authorizer: async (question) => answerOf(authorizer, eventOf(question, await tokenOf(question.who))),
    middleware: async (question) => {
      const event = eventOf(question, await tokenOf(question.who));
      const { statusCode, body } = await guarded(event, {});
      return statusCode === 200 ? 'allow' : (JSON.parse(body).reason ?? String(statusCode));
    },
    AuthZEN: async (question) => {
      const { status, json } = await sent(handle, '/access/v1/evaluation', evaluation(question));
      return status !== 200 ? String(status) : json.decision ? 'allow' : json.context.reason;
    },
    explorer: async ({ who, action = 'read', where, ip }) => {
      const reply = await explorer('check', {
        subject: `user:${who}`,
        permission: `location:${action}:location`,
        scope: `location:${where}`,
        ...(ip && { given: given(ip) }),
      });
      if (!reply.ok) return reply.error.code;
      const { allowed, reason } = reply.result as Decision;
      return allowed ? 'allow' : reason;
    },
  };
  /** Asks with an Authorization header as it is: `accepted`, `refused` (401), or whatever else was answered. */
  const show: Readonly<
    Record<(typeof SHOWING)[number], (header: string, question?: Question) => Promise<string>>
  > = {
    authorizer: async (header, question = SHOWN) => {
      const answer = await answerOf(authorizer, { ...eventOf(question), headers: { authorization: header } });
      return answer === 'Unauthorized' ? 'refused' : answer === 'allow' ? 'accepted' : answer;
    },
    middleware: async (header, question = SHOWN) => {
      const event = { ...eventOf(question), headers: { authorization: header } };
      return outcomes[(await guarded(event, {})).statusCode] ?? 'fault';
    },
    AuthZEN: async (header, question = SHOWN) => {
      const headers = { authorization: header };
      const { status } = await sent(handle, '/access/v1/evaluation', evaluation(question), {
        headers,
        token: '',
      });
      return outcomes[status] ?? 'fault';
    },
  };
  return { ask, show, authorizer, handle, explorer, guarded, lines };
}

/** Doors that take a credential. */
export const SHOWING = ['authorizer', 'middleware', 'AuthZEN'] as const;
/** What is asked where the credential is the question: the enforcement point may read there. */
const SHOWN: Question = { who: 'pep', where: 'north' };
const outcomes: Readonly<Record<number, string>> = { 200: 'accepted', 401: 'refused' };

export type Doors = Awaited<ReturnType<typeof open>>;

const given = (ip: string | undefined): Given => (ip === undefined ? {} : { context: { ip } });

/** The request of a question, as API Gateway sends it to a Lambda function, and to its authorizer. */
export function eventOf({ action = 'read', where, ip = '192.0.2.1' }: Question, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const event = httpEvent('GET', `/ask/${action}/${encodeURIComponent(where)}`, authorization);
  const { requestContext } = event;
  return {
    ...event,
    pathParameters: { action, place: where },
    requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp: ip } },
  };
}

/** The answer to an event: `allow`, the reason of a refusal, or the message of what was thrown. */
export const answerOf = async (authorizer: Authorizer, event: unknown): Promise<string> =>
  (await answered(authorizer, event)).said;

export const evaluation = ({ who, action = 'read', where, ip }: Question) => ({
  subject: { type: 'user', id: who },
  action: { name: action },
  resource: { type: 'location', id: where },
  ...given(ip),
});

/** Sends a request to the AuthZEN API, as the enforcement point or with another credential; an empty one is none. */
export const sent = async (handle: Handle, path: string, body: unknown, { token, ...more }: Sent = {}) =>
  send(handle, path, { body, token: token === '' ? undefined : (token ?? (await tokenOf('pep'))), ...more });
