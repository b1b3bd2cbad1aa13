import { expect, test } from 'vitest';
import { evaluate, INVOKE_ACTION } from '../../../authorizer/policies/iam.ts';
import { EVALUATE } from '../../../authzen/questions.ts';
import type { Given } from '../../../engine/index.ts';
import { bearer, lambdaGuard } from '../../../middleware/index.ts';
import { answerTo, serveFor } from '../../authorizer/served.ts';
import { AUDIENCE, createIssuer, httpEvent, NOW, restRequestEvent } from '../../authorizer/support.ts';
import { send, serve } from '../../authzen/support.ts';
import { createClock } from '../../support/world.ts';
import { type Row, SECTIONS } from './rows.ts';
import { createRuleWorlds, ISSUER } from './world.ts';

/** The rule of SPEC section 2 where it is enforced: each door is asked what its requests can ask, and says what the rule says. */
const ROWS = SECTIONS.flatMap(([, rows]) => rows);
const isAllowed = ({ reason }: Row): boolean => reason === 'role' || reason === 'admin';
const givenIn = ({ more: { groups: _, actor: __, ...given } }: Row): Given => given;

const issuer = await createIssuer();
/** After all that is asked, in seconds. */
const LATER = Date.parse('2030-01-01') / 1_000;
// Made before all that is asked, as what is in the table is.
const world = (await createRuleWorlds(Date.parse('2023-01-01')))();
const fetch = async () => new Response(JSON.stringify({ keys: [issuer.jwk] }));
const questionOf = ({ asked }: Row) => world.question(asked);

const entityOf = (ref: string) => {
  const [type = '', id = ''] = ref.split(':');
  return { type, id };
};
const typeOf = (row: Row): string => entityOf(questionOf(row)[2]).type;
const placeTypes = [...new Set(ROWS.map(typeOf))];

/** What the AuthZEN API calls the permission of a row, at places of its type. */
const actionOf = (row: Row): string => {
  const { permission } = row.asked;
  return givenIn(row).action?.name ?? permission.split(':')[1] ?? permission;
};
const actionsAt = (type: string) =>
  Object.fromEntries(
    ROWS.filter((row) => typeOf(row) === type && !row.asked.permission.includes('*')).map((row) => [
      actionOf(row),
      row.asked.permission,
    ]),
  );

const ROUTES = { '/{page}': '{page}', '/{module}/{action}/{resource}': '{module}:{action}:{resource}' };
const DOORS = {
  permissions: [EVALUATE],
  roles: { evaluator: { id: 'evaluator', global: true, allow: [EVALUATE] } },
  users: { caller: { id: 'caller', globalRoles: ['evaluator'] } },
  routes: placeTypes.flatMap((type) =>
    Object.entries(ROUTES).map(([path, permission]) => ({
      method: 'GET',
      path: `/${type}/{id}${path}`,
      permission,
      scope: `${type}:{id}`,
    })),
  ),
  resourceTypes: Object.fromEntries(placeTypes.map((type) => [type, { actions: actionsAt(type) }])),
};
await world.apply(JSON.stringify(DOORS));

interface Parts {
  readonly reader: typeof world.reader;
  readonly clock: ReturnType<typeof createClock>;
}
type Door = (row: Row, parts: Parts) => () => Promise<unknown>;

/** What a row is answered, at its instant: reads take time, and are made before it. */
async function answerAtInstant(row: Row, door: Door): Promise<unknown> {
  const { at } = row.asked;
  const clock = createClock(at === undefined ? NOW : Date.parse(at) - 1_000);
  const ask = door(row, { reader: world.reader, clock });
  if (at === undefined) return ask();
  await ask();
  clock.advance(Date.parse(at) - clock.now());
  return ask();
}

/** Asks as many of the rows as can be asked at a door. */
async function expectAnswers(
  rows: readonly Row[],
  count: number,
  door: Door,
  expected: (row: Row) => unknown,
): Promise<void> {
  const answers = await Promise.all(
    rows.map(async (row) => [row.question, await answerAtInstant(row, door)]),
  );
  expect(answers).toEqual(rows.map((row) => [row.question, expected(row)]));
  expect(rows).toHaveLength(count);
}

/** What a token and a request can say: it is of a user, names are names, and nothing but an address is given. */
const IN_EVENTS = ROWS.filter((row) => {
  const [subject, permission] = questionOf(row);
  const { context: _, ...rest } = givenIn(row);
  const isActor = row.more.actor === undefined || row.more.actor.subject.includes(':');
  const isOfUser = entityOf(subject).type === 'user';
  return isOfUser && isActor && !permission.includes('*') && Object.keys(rest).length === 0;
});

async function tokenOf(row: Row): Promise<string> {
  const { groups, actor } = row.more;
  return issuer.token({
    iss: ISSUER,
    sub: entityOf(questionOf(row)[0]).id,
    iat: undefined,
    exp: groups ? groups.until / 1_000 : LATER,
    groups: groups?.ids,
    ...(actor && { act: { sub: entityOf(actor.subject).id } }),
  });
}

/** Of tokens whose actors are of the type of the one who acts. */
const issuerFor = ({ more: { actor } }: Row) => ({
  issuer: ISSUER,
  audience: AUDIENCE,
  groupsFrom: 'groups',
  actorFrom: { claim: 'act' as const, type: entityOf(actor?.subject ?? 'user:').type },
});
const variablesFor = (row: Row) => ({
  TOKEN_ISSUER: undefined,
  TOKEN_AUDIENCE: undefined,
  TOKEN_ISSUERS: JSON.stringify([issuerFor(row)]),
});

const pathOf = (row: Row): string => {
  const [, permission, scope] = questionOf(row);
  return `/${[scope, permission].join(':').replaceAll(':', '/')}`;
};
/** A token says nothing at the instant at which it ends. */
const isOver = ({ asked: { at = '' }, more: { groups } }: Row): boolean =>
  groups !== undefined && groups.until <= Date.parse(at);

test('the authorizer allows a request, or says why not', () =>
  expectAnswers(
    IN_EVENTS,
    122,
    (row, parts) => {
      const authorizer = serveFor(issuer, parts, { ...variablesFor(row), POLICY_COVERS: 'route' });
      return async () => {
        const event = httpEvent('GET', pathOf(row), { authorization: `Bearer ${await tokenOf(row)}` });
        Object.assign(event.requestContext.http, { sourceIp: givenIn(row).context?.ip });
        return await answerTo(authorizer, event);
      };
    },
    (row) => (isOver(row) ? 'Unauthorized' : isAllowed(row) ? 'allow' : row.reason),
  ));

test('its policy for the whole API allows a request that is allowed, and no other', () =>
  expectAnswers(
    IN_EVENTS.filter((row) => !isOver(row)),
    121,
    (row, parts) => {
      const authorizer = serveFor(issuer, parts, { ...variablesFor(row), POLICY_COVERS: 'api' });
      return async () => {
        const event = restRequestEvent('GET', pathOf(row), {
          Authorization: [`Bearer ${await tokenOf(row)}`],
        });
        Object.assign(event.requestContext.identity, { sourceIp: givenIn(row).context?.ip });
        const answer = await authorizer(event);
        if (!('policyDocument' in answer)) throw new Error('no policy');
        const statements = answer.policyDocument.Statement.map(({ Effect, Action, Resource }) => ({
          effect: Effect,
          actions: [Action],
          resources: [Resource].flat(),
        }));
        return evaluate(statements, INVOKE_ACTION, event.methodArn).decision === 'allow';
      };
    },
    isAllowed,
  ));

/** Of an actor that is not there the AuthZEN API says what it says of one from elsewhere. */
const NOBODY = ['actor_unknown', 'actor_inactive', 'actor_ended'];

test('the AuthZEN API decides an evaluation, and says of a stranger no more than of one from elsewhere', async () => {
  const rows = ROWS.filter((row) => !row.more.groups && givenIn(row).resource?.id === undefined);
  const decided = await world.newEngine().decideAsked(
    rows.map((row) => {
      const [subject, permission, scope] = questionOf(row);
      return () => ({ subject, permission, scope });
    }),
  );
  const strangers = rows.filter((_, n) => !decided[n]?.hasGrant);
  const reasonOf = (row: Row): string => {
    if (!Object.values(world.ref).includes(questionOf(row)[2])) return 'scope_unknown';
    if (strangers.includes(row) && !isAllowed(row)) return 'no_grant';
    return NOBODY.includes(row.reason) ? 'actor_no_grant' : row.reason;
  };
  const token = await issuer.token({ iss: ISSUER, sub: 'caller', iat: undefined, exp: LATER });
  await expectAnswers(
    rows,
    121,
    (row, { reader, clock }) => {
      const [subject, , scope] = questionOf(row);
      const { resource, action, context } = givenIn(row);
      const { actor } = row.more;
      const handle = serve(
        { world: { ...world, reader, clock } },
        { TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE },
        { fetch },
      );
      const body = {
        subject: entityOf(subject),
        action: { ...action, name: actionOf(row) },
        resource: { ...entityOf(scope), ...resource },
        context: { ...context, ...(actor && { actor: entityOf(actor.subject) }) },
      };
      return async () => (await send(handle, '/access/v1/evaluation', { token, body })).json;
    },
    (row) => ({ decision: isAllowed(row), context: { reason: reasonOf(row) } }),
  );
});

test('a guard lets a request through, or says why not', () =>
  expectAnswers(
    ROWS,
    136,
    (row, { reader, clock }) => {
      const [subject, permission, scope] = questionOf(row);
      const given = givenIn(row);
      const { groups, actor } = row.more;
      const isByToken = IN_EVENTS.includes(row);
      const guard = lambdaGuard({
        engine: world.newEngine({ reader, clock, wait: clock.wait }),
        who: isByToken
          ? bearer(issuerFor(row), { clock, fetch })
          : () => ({ subject, ...(groups && { groups }), ...(actor && { actor }) }),
        now: clock.now,
        showReason: true,
      });
      const handler = guard(permission, scope, { given: () => given }).wrap(async () => ({
        statusCode: 204,
        body: '{}',
      }));
      const requestContext = { http: { method: 'GET', sourceIp: given.context?.ip as string } };
      return async () => {
        const headers = { authorization: `Bearer ${await tokenOf(row)}` };
        const { statusCode, body } = await handler({ requestContext, headers }, {});
        return [statusCode, JSON.parse(body).reason];
      };
    },
    (row) => (isOver(row) ? [401, undefined] : isAllowed(row) ? [204, undefined] : [403, row.reason]),
  ));
