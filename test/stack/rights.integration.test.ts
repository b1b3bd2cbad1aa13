import { describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../../authorizer/compose.ts';
import { evaluate, matchesPattern, type Statement } from '../../authorizer/policies/iam.ts';
import { samTemplate, sectionsOf } from '../../deploy/bundle/sam-template.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { logPartition, nodeNamedKey, operationKey, secretKey } from '../../table/keys.ts';
import {
  ARN,
  AUDIENCE,
  createIssuer,
  httpEvent,
  ISSUER,
  restTokenEvent,
  TTL_0,
} from '../authorizer/support.ts';
import { createFixture, send, serve } from '../authzen/support.ts';
import { evaluateTemplate } from './evaluate.ts';
import type { Resource, Template } from './template.ts';

/** What the readers really send to DynamoDB, against the rights that the stack gives them. */

/** An action on a resource, as IAM sees it. */
interface Sent {
  readonly action: string;
  readonly index: string | undefined;
  /** The partition keys: the values of `dynamodb:LeadingKeys`. */
  readonly keys: readonly string[];
}

const issuer = await createIssuer();
const template = samTemplate() as unknown as Template;
const { AuthzenRole } = sectionsOf('authzen').Resources as Readonly<Record<'AuthzenRole', Resource>>;
/** Serverless makes the log group by itself. */
const AuthzenLogGroup: Resource = { Type: 'AWS::Logs::LogGroup', Properties: {} };
const { Resources: resources } = evaluateTemplate({
  ...template,
  Conditions: { ...template.Conditions, HasAuthzen: { 'Fn::Equals': ['', ''] } },
  Resources: { ...template.Resources, AuthzenRole, AuthzenLogGroup },
});
const fixture = await createFixture();
const { run } = fixture.world;
const { id } = fixture;
await run('user.update', { id: id.alice, email: 'alice@example.com' });
const route = { method: 'GET', permission: 'record:read:record', scope: 'record:{id}' };
await run('route.create', { ...route, path: '/records/{id}' });
await run('route.create', { ...route, path: '/invoices', scope: `tenant:${id['tenant a']}` });
fixture.world.settle();

type Input = Readonly<Record<string, unknown>>;
/** A text, as it is or as DynamoDB takes it. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : String((value as { S: unknown }).S);
const pkOf = (key: unknown): string => textOf((key as { PK: unknown }).PK);

/** The actions of one command: a transaction needs those of its parts. */
function sentBy(command: string, input: Input): Sent[] {
  const {
    RequestItems = {},
    TransactItems = [],
    Key,
    IndexName,
    ExpressionAttributeValues = {},
  } = input as {
    RequestItems?: Record<string, { Keys: unknown[] }>;
    TransactItems?: { Get: { Key: unknown } }[];
    Key?: unknown;
    IndexName?: string;
    ExpressionAttributeValues?: Record<string, unknown>;
  };
  const sent = (action: string, keys: readonly string[]): Sent => ({
    action: `dynamodb:${action}`,
    index: IndexName,
    keys,
  });
  if (command === 'GetItemCommand') return [sent('GetItem', [pkOf(Key)])];
  if (command === 'BatchGetItemCommand')
    return Object.values(RequestItems).map(({ Keys }) => sent('BatchGetItem', Keys.map(pkOf)));
  if (command === 'TransactGetItemsCommand')
    return TransactItems.map(({ Get }) => sent('GetItem', [pkOf(Get.Key)]));
  if (command === 'QueryCommand') {
    return [sent('Query', [textOf(ExpressionAttributeValues[':pk'])])];
  }
  throw new Error(`${command} is sent, which the stack allows no reader`);
}

/** A reader of the fixture's table that notes what leaves it. */
function recorded() {
  const sent: Sent[] = [];
  const client = createClient({ endpoint: fixture.world.endpoint, requestTimeoutMs: 20_000 });
  client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push(...sentBy(String(context.commandName), args.input as Input));
      return next(args);
    },
    { step: 'initialize' },
  );
  return { sent, reader: createReader({ client, table: fixture.world.table, deadlineMs: 20_000 }) };
}

interface StatementOfRole {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: {
    readonly 'ForAnyValue:StringLike': { readonly 'dynamodb:LeadingKeys': readonly string[] };
  };
}

/** The statements of a role that apply to requests for these keys. */
function statementsOf(role: string, keys: readonly string[]): Statement[] {
  const policies = resources[role]?.Properties.Policies as {
    PolicyDocument: { Statement: StatementOfRole[] };
  }[];
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Condition }) => {
      if (Condition === undefined) return true;
      // Another operator would be another condition than the one that is compared here.
      expect(Object.keys(Condition)).toEqual(['ForAnyValue:StringLike']);
      const patterns = Condition['ForAnyValue:StringLike']['dynamodb:LeadingKeys'];
      return keys.some((key) => patterns.some((pattern) => matchesPattern(pattern, key)));
    })
    .map(({ Effect, Action, Resource }) => ({
      effect: Effect,
      actions: [Action].flat(),
      resources: [Resource].flat(),
    }));
}

function decisionOn(role: string, { action, index, keys }: Sent) {
  const arn = index === undefined ? 'Table.Arn' : `Table.Arn/index/${index}`;
  return evaluate(statementsOf(role, keys), action, arn).decision;
}

describe('the authorizer', () => {
  test('may do everything that it sends: JWTs by id and by email, API tokens, revocation, policies', async () => {
    const { sent, reader } = recorded();
    const { world, id, token } = fixture;
    const answers: unknown[] = [];
    const session = (await world.run('session.create', { user: id.alice })).id;
    const ask = async (env: Record<string, string>, ...events: unknown[]) => {
      const handler = createHandlerFrom(
        {
          TABLE_NAME: world.table,
          TOKEN_ISSUER: ISSUER,
          TOKEN_AUDIENCE: AUDIENCE,
          RESULT_CACHE: TTL_0,
          ...env,
        },
        {
          reader,
          clock: world.clock,
          wait: world.clock.wait,
          random: () => 0,
          log: () => undefined,
          fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
        },
      );
      for (const event of events) answers.push(await handler(event).catch((error: Error) => error.message));
    };
    const jwt = (claims: Record<string, unknown>) => issuer.token({ sub: id.alice, ...claims });
    const http = (text: string) =>
      httpEvent('GET', `/records/${id['record-1']}`, { authorization: `Bearer ${text}` });
    await ask(
      { REVOCATION: 'session:sid' },
      http(await jwt({ sid: session })),
      http(token.a ?? ''),
      http('nothing'),
    );
    await ask(
      { SUBJECT_FROM: 'email' },
      http(await jwt({ email: 'alice@example.com', email_verified: true })),
    );
    await ask({ CACHE_TTL_SECONDS: '0' }, http(await jwt({})));
    const methodArn = restTokenEvent('GET', '/invoices', `Bearer ${await jwt({})}`);
    await ask({ UNMAPPED_PATHS: 'unreachable' }, methodArn);
    expect(answers.slice(0, 2)).toMatchObject([{ isAuthorized: true }, { isAuthorized: false }]);
    expect(answers.slice(3, 5)).toMatchObject([{ isAuthorized: true }, { isAuthorized: true }]);
    expect(JSON.stringify(answers[5])).toContain(ARN.split(':').at(-1) ?? ARN);

    const actions = new Set(sent.map(({ action }) => action));
    for (const action of ['dynamodb:BatchGetItem', 'dynamodb:Query']) expect(actions).toContain(action);
    for (const each of sent) {
      expect([each, decisionOn('AuthorizerRole', each)]).toEqual([each, 'allow']);
      // Where writes are under way the same keys are read by TransactGetItems.
      const snapshot = { ...each, action: 'dynamodb:GetItem' };
      expect([each, decisionOn('AuthorizerRole', snapshot)]).toEqual([each, 'allow']);
    }
  });
});

describe('the AuthZEN API', () => {
  test('may do everything that it sends: evaluations, with explanation, and searches', async () => {
    const { sent, reader } = recorded();
    const { id, token } = fixture;
    const handle = serve(fixture, {}, { reader });
    const [subject, resource] = [
      { type: 'user', id: id.alice },
      { type: 'record', id: id['record-1'] },
    ];
    const action = { name: 'read' };
    for (const [path, body] of [
      ['evaluation', { subject, action, resource, options: { explain: true } }],
      [
        'evaluations',
        { subject, action, evaluations: [{ resource }, { resource: { type: 'record', id: 'x' } }] },
      ],
      ['search/subject', { subject: { type: 'user' }, action, resource }],
      ['search/resource', { subject, action, resource: { type: 'record' } }],
      ['search/action', { subject, resource }],
    ] as const) {
      const { status } = await send(handle, `/access/v1/${path}`, { token: token.a, body });
      expect([path, status]).toEqual([path, 200]);
    }
    expect(sent.some(({ index }) => index !== undefined)).toBe(true);
    for (const each of sent) expect([each, decisionOn('AuthzenRole', each)]).toEqual([each, 'allow']);
  });
});

describe('what no decision reads', () => {
  const user = { type: 'user', id: 'u' };
  const KEYS: readonly (readonly [string, string])[] = [
    ['a secret', secretKey(user).PK],
    ['the audit log of a tenant', logPartition({ type: 'tenant', id: 't' }, 0)],
    ['the audit log of what concerns no tenant', logPartition(undefined, 0)],
    ['a count of audit records', 'AUDIT_COUNT#TENANT#t#0'],
    ['the outcome of a command', operationKey('o').PK],
    ['a look-up by name', nodeNamedKey('user', 'tina', user).PK],
    ['a command that waits for approval', 'APPROVAL#a'],
  ];

  test.each(KEYS)('%s is refused to both readers, alone, in a batch and by Query', (_, key) => {
    for (const role of ['AuthorizerRole', 'AuthzenRole'])
      for (const [action, keys] of [
        ['GetItem', [key]],
        ['BatchGetItem', ['USER#u', key]],
        ['Query', [key]],
      ] as const)
        expect(decisionOn(role, { action: `dynamodb:${action}`, index: undefined, keys })).toBe(
          'explicit-deny',
        );
    const sent = { action: 'dynamodb:GetItem', index: undefined, keys: [key] };
    expect(decisionOn('ProvisioningRole', sent)).toBe('allow');
  });

  test('nor may a reader write, scan, or use an index as the authorizer', () => {
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'Scan', 'PartiQLSelect'])
      for (const role of ['AuthorizerRole', 'AuthzenRole'])
        expect(decisionOn(role, { action: `dynamodb:${action}`, index: undefined, keys: ['USER#u'] })).toBe(
          'implicit-deny',
        );
    const query = { action: 'dynamodb:Query', index: 'GSI1', keys: ['USER#u'] };
    expect([decisionOn('AuthorizerRole', query), decisionOn('AuthzenRole', query)]).toEqual([
      'implicit-deny',
      'allow',
    ]);
  });
});
