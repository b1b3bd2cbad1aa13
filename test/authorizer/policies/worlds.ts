import type { VerifiedClaims } from '../../../authorizer/index.ts';
import { createCellsOf } from '../../../authorizer/policies/cells.ts';
import { evaluate, INVOKE_ACTION } from '../../../authorizer/policies/iam.ts';
import { createWholePolicy } from '../../../authorizer/policies/whole.ts';
import { apiRoutesId, createApiRoutes } from '../../../authorizer/routes/api-routes.ts';
import { resolve } from '../../../authorizer/routes/resolve.ts';
import { isOfOneSpelling, match, type RouteRule } from '../../../authorizer/routes/rule.ts';
import { createAccessBound } from '../../../engine/index.ts';
import { change, furnish, type Names } from '../../proof/oracle/generate.ts';
import { emptyModel, type Model } from '../../proof/oracle/model.ts';
import * as does from '../../proof/oracle/operations.ts';
import { judge } from '../../proof/oracle/oracle.ts';
import { createRandom, type Random } from '../../proof/oracle/random.ts';
import type { OpenTable, Stage } from '../../proof/oracle/stage.ts';
import { rule } from '../support.ts';
import { isMapped } from './mapped.ts';

/**
 * Policies of random callers in random worlds, held against the oracle: for many concrete paths, evaluated as IAM
 * documents it, a policy for the whole API says what the oracle says of the question that the path asks.
 */
export interface PolicyTally {
  pairs: number;
  allowed: number;
  /** Callers with a policy for the whole API, with wildcards in it, and without one. */
  whole: number;
  wildcards: number;
  route: number;
  bytes: number;
  readonly differences: string[];
}

export const newPolicyTally = (): PolicyTally => ({
  pairs: 0,
  allowed: 0,
  whole: 0,
  wildcards: 0,
  route: 0,
  bytes: 0,
  differences: [],
});

const BASE = 'arn:aws:execute-api:eu-central-1:000000000000:api/prod/';
const VERBS = ['GET', 'POST', 'DELETE'];
const PAGES = ['dashboard', 'menu', 'ghost', 'Dashboard', 'dash'];
const ROUTES_PER_API = 7;
const PATHS_PER_ROUTE = 60;
/** Enough for every caller of such a world. */
const [MOST_IN_BOUND, MOST_QUESTIONS, MAX_BYTES] = [500, 20_000, 1_000_000];

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** Callers whose reach has bounds, beside those that the world has: a role that names what it allows, at some places. */
function readersIn(random: Random, { places }: Names) {
  const role = '01J8Z0E2Z8D2A3J7A7Y2H9W000';
  const readers = [0, 1, 2, 3, 4, 5].map((n) => `user:01J8Z0E2Z8D2A3J7A7Y2H9W00${n + 1}`);
  const operations = [
    does.createRole(role, 'tenant'),
    ...['dashboard', 'menu', 'alarms:read:door', 'reports:read:door'].map((name) =>
      does.addEffect(role, name, 'ALLOW'),
    ),
    ...readers.flatMap((reader) => [
      does.createUser(reader, 'active', null),
      ...random.some(places, 4).map(({ ref }) => does.assign(reader, ref, role, does.ALWAYS)),
    ]),
  ];
  return { readers, operations };
}

/** A route as it is provisioned. */
interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly scope: string;
}

const toRule = ({ id, method, path, permission, scope }: Route): RouteRule =>
  rule(id, method, path, permission, scope);

async function provideRoute(open: OpenTable, api: string, { id: _, ...route }: Route): Promise<void> {
  const outcome = await open.carryOut('route.create', { ...route, api });
  if (!outcome.ok) throw new Error(`${route.method} ${route.path}: ${outcome.message}`);
}

/** Method, path, permission and scope of routes; TYPE stands for a type of scopes, SOME for a scope that there is. */
const ROUTES = [
  ['GET', '/TYPE/{id}', 'dashboard', 'TYPE:{id}'],
  ['GET', '/TYPE/{id}/pages/{page}', '{page}', 'TYPE:{id}'],
  ['ANY', '/TYPE/{id}/pages/{page}', '{page}', 'TYPE:{id}'],
  ['POST', '/TYPE/{id}/alarms/{action}/{thing}', 'alarms:{action}:door', 'TYPE:{id}'],
  ['GET', '/TYPE/{id}/notes/{note}', 'menu', 'TYPE:{id}'],
  ['GET', '/TYPE/{id}/notes/special', 'reports:read:door', 'TYPE:{id}'],
  ['GET', '/TYPE/{id}/notes/{note}/lines', 'menu', 'TYPE:{id}'],
  ['ANY', '/TYPE/{id}/files/{rest+}', 'menu', 'TYPE:{id}'],
  ['GET', '/mine/{note}', 'dashboard', 'client:{claim:client}'],
  ['GET', '/menu', 'menu', 'SOME'],
  ['DELETE', '/reports/{thing}', 'reports:read:{thing}', 'SOME'],
] as const;
/** With these there is seldom a policy for the whole API. */
const RARE_ROUTES = [
  ['ANY', '/{rest+}', 'menu', 'SOME'],
  ['GET', '/here', 'dashboard', 'location:{header:x-location}'],
] as const;

function routesOf(random: Random, names: Names): readonly Route[] {
  const found = new Map<string, Route>();
  for (let n = 0; n < ROUTES_PER_API; n++) {
    const place = random.pick(names.places).ref;
    const [method, path, permission, scope] = random
      .pick(random.oneIn(3) ? [...ROUTES, ...RARE_ROUTES] : ROUTES)
      .map((text) => text.replace('TYPE', typeOf(place)).replace('SOME', place)) as [
      string,
      string,
      string,
      string,
    ];
    const shape = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    if (!found.has(shape)) found.set(shape, { id: `r${n}`, method, path, permission, scope });
  }
  return [...found.values()];
}

/** A path of the rule's form, with values that mean something or nearly so, and sometimes made crooked. */
function pathOf(random: Random, made: RouteRule, names: Names): string {
  const id = () => random.pick(names.places).ref.split(':')[1] as string;
  const value = (name: string): string => {
    if (name === 'page') return random.pick(PAGES);
    if (name === 'action') return random.pick(['read', 'stop', 'rea', '*']);
    if (name === 'rest') return random.pick(['a', 'a/b', 'a/b/c', 'notes/x', '.', 'a//b', 'a/']);
    if (name === 'note' || name === 'thing')
      return random.pick(['door', 'special', 'a@b', 'a|b', 'a%7Cb', '*', '?', 'a%2Fb', '..', 'x;y', 'Ü']);
    const exact = id();
    return random.oneIn(6)
      ? random.pick([
          `${exact}X`,
          exact.slice(0, -1),
          exact.toLowerCase(),
          '*',
          '?'.repeat(26),
          `%30${exact}`,
          encodeURIComponent(encodeURIComponent(exact)),
        ])
      : random.oneIn(2)
        ? encodeURIComponent(exact)
        : exact;
  };
  const segments = made.segments.map((each) => (each.kind === 'literal' ? each.text : value(each.name)));
  const path = `/${segments.join('/')}`;
  if (!random.oneIn(6)) return path;
  const at = random.below(path.length);
  return random.pick([
    `${path}/`,
    `/${path}`,
    `${path}//`,
    `${path}/x`,
    `${path}/lines`,
    path.toUpperCase(),
    path.slice(0, at),
    `${path.slice(0, at)}/${path.slice(at)}`,
    `${path.slice(0, at)}%2f${path.slice(at)}`,
    `${path}%20`,
    `${path}/..`,
  ]);
}

/** Whether the oracle allows the question that a request asks. */
function truthOf(
  model: Model,
  rules: readonly RouteRule[],
  who: { readonly subject: string; readonly claims: VerifiedClaims; readonly at: number },
  verb: string,
  path: string,
): boolean {
  const found = match(rules, verb, path);
  const question = found && resolve(found, { claims: who.claims, header: () => [], query: () => [] });
  if (question === undefined) return false;
  return judge(model, { ...question, subject: who.subject, at: who.at }).allowed;
}

/** One world, changed and asked several times. */
export async function playPolicies(
  stage: Stage,
  seed: number,
  rounds: number,
  tally: PolicyTally,
): Promise<void> {
  const random = createRandom(seed);
  const open = await stage.open();
  const model = emptyModel();
  try {
    const { names, operations } = furnish(random);
    const { readers, operations: more } = readersIn(random, names);
    const engine = open.newEngine({ wait: async (milliseconds) => open.clock.advance(milliseconds) });
    const accessBoundOf = createAccessBound({
      reader: open.reader,
      engine,
      most: MOST_IN_BOUND,
      now: open.clock.now,
    });
    const apiRoutes = createApiRoutes(open.reader);
    const cellsOf = createCellsOf({ accessBoundOf, mostQuestions: MOST_QUESTIONS });
    for (let round = 0; round < rounds; round++) {
      const done =
        round === 0 ? [...operations, ...more] : Array.from({ length: 15 }, () => change(random, names));
      for (const each of done) {
        const outcome = await open.carryOut(each.command, each.input);
        if (outcome.ok) each.apply(model);
      }
      const api = `round-${round}`;
      const routes = routesOf(random, names);
      for (const each of routes) await provideRoute(open, api, each);
      open.clock.advance(60_000 + random.below(3_600_000));
      const rules = routes.map(toRule);
      const isClosed = random.oneIn(2);
      const wholePolicy = createWholePolicy({
        engine,
        cellsOf,
        apiRoutes,
        routesId: apiRoutesId(api),
        subjectOf: () => null,
        now: open.clock.now,
        ttlMs: 60_000,
        outageTtlMs: 0,
        isClosed,
        maxBytes: MAX_BYTES,
        cacheBytes: 1_048_576,
        maxComparisons: 10_000_000,
      });
      const clients = names.places.filter(({ ref }) => typeOf(ref) === 'client');
      const client = random.pick(clients).ref.split(':')[1];
      for (const subject of [...names.subjects, ...readers]) {
        const claims = (random.oneIn(4) ? {} : { client }) as unknown as VerifiedClaims;
        const policy = await wholePolicy({ subject, credential: undefined, claims }, BASE);
        const at = open.clock.now();
        if (policy === 'credential_refused') throw new Error('nobody came with a credential');
        if (!policy) {
          tally.route += 1;
          continue;
        }
        const { resources } = policy;
        tally.whole += 1;
        tally.bytes += [...resources.allow, ...resources.deny].join().length;
        if (resources.allow.some((each) => each.includes('*'))) tally.wildcards += 1;
        const statements = (['Allow', 'Deny'] as const).map((effect) => ({
          effect,
          actions: [INVOKE_ACTION],
          resources: effect === 'Allow' ? resources.allow : resources.deny,
        }));
        for (const made of rules) {
          for (let n = 0; n < PATHS_PER_ROUTE; n++) {
            const path = pathOf(random, made, names);
            const verb = random.oneIn(4) || made.method === 'ANY' ? random.pick(VERBS) : made.method;
            if (isClosed && !isMapped(rules, verb, path)) continue;
            const truth = truthOf(model, rules, { subject, claims, at }, verb, path);
            const says = evaluate(statements, INVOKE_ACTION, `${BASE}${verb}${path}`).decision === 'allow';
            tally.pairs += 1;
            if (truth) tally.allowed += 1;
            // The authorizer answers such a request for its route alone.
            const isLeftOut = !isOfOneSpelling(path);
            if (isLeftOut ? says && !truth : says !== truth) {
              const about = { seed, round, isClosed, subject, claims, rules: rules.map(({ id }) => id) };
              tally.differences.push(
                `${verb} ${path}: the policy ${says ? 'allows' : 'refuses'}; ${JSON.stringify(about)}`,
              );
            }
          }
        }
      }
    }
  } finally {
    await open.close();
  }
}
