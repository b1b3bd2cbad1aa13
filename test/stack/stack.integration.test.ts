import { beforeAll, describe, expect, test } from 'vitest';
import { CredentialsError } from '../../authorizer/errors.ts';
import { parseConfiguration } from '../../authorizer/index.ts';
import { refusedLine } from '../../authorizer/log.ts';
import { parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import reference from '../../stack/table-reference.json' with { type: 'json' };
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };
import { secretKey } from '../../table/keys.ts';
import { evaluateTemplate } from './evaluate.ts';
import { ISSUER, packageExample, packageStack, type Resource, type Template } from './template.ts';

/** What `serverless.yml` becomes: the template that CloudFormation would get. */
let stack: Template;
beforeAll(async () => {
  stack = await packageStack('live', {
    tableKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/k',
    alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
    ...ISSUER,
  });
});

const resource = (name: string): Resource => {
  const found = stack.Resources[name];
  if (found === undefined) throw new Error(`the stack has no ${name}`);
  return found;
};
/** Features that a parameter switches on; each has tests of its own. */
const FEATURES = /^(?:Authzen|Sockets|Connections)/;
/** Resources of the stack that every deployment has. */
const ofType = (type: string): readonly [string, Resource][] =>
  Object.entries(stack.Resources).filter(([name, { Type }]) => Type === type && !FEATURES.test(name));

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}
const listed = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? value : [value as Value];
/** What a role may do by itself: resource (as JSON) to actions. */
const rightsOf = (role: string): Record<string, readonly string[]> => {
  const { Policies, ManagedPolicyArns } = resource(role).Properties;
  expect(ManagedPolicyArns).toBeUndefined();
  const rights: Record<string, readonly string[]> = {};
  for (const { PolicyDocument } of Policies)
    for (const statement of PolicyDocument.Statement as Statement[]) {
      if (statement.Effect === 'Deny') continue;
      for (const target of listed(statement.Resource)) {
        const name = JSON.stringify(target);
        expect(rights).not.toHaveProperty([name]);
        rights[name] = listed(statement.Action);
      }
    }
  return rights;
};
const arnOf = (name: string): string => JSON.stringify({ 'Fn::GetAtt': [name, 'Arn'] });
const TABLE = JSON.stringify(reference.arn);
/** The same without what is denied. */
const allowedIn = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      Array.isArray(each) ? each.filter((one) => (one as Statement | null)?.Effect !== 'Deny') : each,
    ),
  );
const WRITE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];

describe('least privilege', () => {
  test('the authorizer may read the base table and write its own log only', () => {
    expect(rightsOf('AuthorizerRole')).toEqual({
      [TABLE]: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
      [arnOf('AuthorizerLogGroup')]: WRITE_LOG,
    });
  });

  test('the authorizer is denied the partitions of secrets', () => {
    const deniedTo = (role: string) =>
      resource(role).Properties.Policies.flatMap(
        ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) =>
          PolicyDocument.Statement.filter(({ Effect }) => Effect !== 'Allow'),
      );
    const { PK } = secretKey({ type: 'user', id: 'id' });
    expect(PK.startsWith('SECRET#')).toBe(true);
    expect(deniedTo('AuthorizerRole')).toEqual([
      {
        Effect: 'Deny',
        Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
        Resource: reference.arn,
        // Any key of a batch is enough.
        Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['SECRET#*'] } },
      },
    ]);
    expect(deniedTo('ProvisioningRole')).toEqual([]);
  });

  test('provisioning may read and write the base table, query its indexes, and write its own log', () => {
    expect(rightsOf('ProvisioningRole')).toEqual({
      [TABLE]: [
        ...['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
        ...['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
      ],
      [JSON.stringify(reference.indexes)]: ['dynamodb:Query'],
      [arnOf('ProvisioningLogGroup')]: WRITE_LOG,
    });
  });

  test('with a customer key both may decrypt with it, through DynamoDB only', () => {
    const names = ofType('AWS::IAM::Policy').map(([name]) => name);
    expect(names).toEqual(['TableKeyPolicy']);
    const { Condition, Properties } = resource('TableKeyPolicy');
    expect(Condition).toBe('HasTableKey');
    expect(Properties.Roles).toEqual([{ Ref: 'AuthorizerRole' }, { Ref: 'ProvisioningRole' }]);
    expect(Properties.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: { Ref: 'TableKeyArn' },
        Condition: {
          StringEquals: { 'kms:ViaService': { 'Fn::Sub': `dynamodb.\${AWS::Region}.\${AWS::URLSuffix}` } },
        },
      },
    ]);
  });

  test('no policy allows a Scan, PartiQL, an index to the authorizer, or anything by wildcard', () => {
    const policies = [...ofType('AWS::IAM::Role'), ...ofType('AWS::IAM::Policy')];
    expect(policies.map(([name]) => name).sort()).toEqual([
      ...['AuthorizerInvokeRole', 'AuthorizerRole', 'ProvisioningRole', 'TableKeyPolicy'],
    ]);
    for (const [, { Properties }] of policies)
      expect(JSON.stringify(allowedIn(Properties))).not.toMatch(/Scan|PartiQL|\*/);
    expect(JSON.stringify(resource('AuthorizerRole'))).not.toContain('/index/');
  });

  test('each function has its own role', () => {
    expect(resource('AuthorizerLambdaFunction').Properties.Role).toEqual({
      'Fn::GetAtt': ['AuthorizerRole', 'Arn'],
    });
    expect(resource('ProvisioningLambdaFunction').Properties.Role).toEqual({
      'Fn::GetAtt': ['ProvisioningRole', 'Arn'],
    });
    for (const role of ['AuthorizerRole', 'ProvisioningRole'])
      expect(resource(role).Properties.AssumeRolePolicyDocument.Statement).toEqual([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ]);
  });

  test('only authorizers of API Gateway in this account and region may invoke, and only the authorizer', () => {
    expect(ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties)).toEqual([
      {
        FunctionName: { 'Fn::GetAtt': ['AuthorizerLambdaFunction', 'Arn'] },
        Action: 'lambda:InvokeFunction',
        Principal: 'apigateway.amazonaws.com',
        SourceArn: {
          'Fn::Sub': `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${ApiId}/authorizers/*`,
        },
      },
    ]);
    const { Condition, Properties } = resource('AuthorizerInvokeRole');
    expect(Condition).toBe('HasInvokeRole');
    expect(Properties.Policies[0].PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: { 'Fn::GetAtt': ['AuthorizerLambdaFunction', 'Arn'] },
      },
    ]);
  });
});

test.each([
  [
    'a misspelt parameter',
    { ...ISSUER, tokenAudence: 'x' },
    'tokenAudence: there is no such parameter; did you mean tokenAudience?',
  ],
  ['no issuer', {}, 'TOKEN_ISSUER is missing; TOKEN_AUDIENCE is missing'],
])('with %s nothing is packaged', async (_, params, message) => {
  await expect(packageStack('live', params)).rejects.toThrow(message);
});

test.each(['http.yml', 'rest.yml', 'websocket.yml'])(
  'the example serverless/%s lets nobody invoke but API Gateway of this account',
  async (name) => {
    const { Resources } = await packageExample(name);
    const permissions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Permission');
    expect(permissions.length).toBeGreaterThan(0);
    for (const { Properties } of permissions)
      expect(JSON.stringify(Properties.SourceArn ?? null)).toMatch(/execute-api.*AWS::AccountId.*Api/);
  },
);

test('the table: as defined, on demand, with backups, protected, encrypted, kept when the stack is deleted', () => {
  expect(stack.Parameters.DeletionProtection?.Default).toBe('true');
  const { DeletionPolicy, Properties } = resource('Table');
  expect(DeletionPolicy).toBe('Retain');
  expect(Properties).toEqual({
    ...definition,
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
    DeletionProtectionEnabled: { Ref: 'DeletionProtection' },
    SSESpecification: {
      'Fn::If': [
        'HasTableKey',
        { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: { Ref: 'TableKeyArn' } },
        { Ref: 'AWS::NoValue' },
      ],
    },
  });
  expect(stack.Parameters.TableKeyArn?.Default).toBe('arn:aws:kms:eu-central-1:123456789012:key/k');
});

test('the functions: Node 24 on arm64, within the time-out of API Gateway, with their environment', () => {
  const functions = ofType('AWS::Lambda::Function').map(([, { Properties }]) => Properties);
  expect(functions).toHaveLength(2);
  for (const { Runtime, Architectures } of functions)
    expect([Runtime, Architectures]).toEqual(['nodejs24.x', ['arm64']]);
  const { Timeout, Environment } = resource('AuthorizerLambdaFunction').Properties;
  expect(Timeout).toBeLessThan(10);
  expect(Environment.Variables).toMatchObject({
    TABLE_NAME: { 'Fn::If': ['CreatesTable', { Ref: 'Table' }, ''] },
    TOKEN_ISSUER: 'https://issuer.example',
  });
  const given = Object.entries<unknown>({ ...Environment.Variables, TABLE_NAME: 'table' });
  expect(() =>
    parseConfiguration(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))),
  ).not.toThrow();
});

test('the AuthZEN function is there only where a parameter says so, and may read the table but no secrets', () => {
  const own = Object.entries(stack.Resources).filter(([name]) => name.startsWith('Authzen'));
  const conditions = own.map(([name, { Condition }]) => [name.replace(/Version.*/, 'Version'), Condition]);
  expect(conditions.sort()).toEqual([
    ['AuthzenKeyPolicy', 'HasAuthzenKey'],
    ['AuthzenLambdaFunction', 'HasAuthzen'],
    ['AuthzenLambdaVersion', 'HasAuthzen'],
    ['AuthzenLogGroup', 'HasAuthzen'],
    ['AuthzenRole', 'HasAuthzen'],
  ]);
  expect(stack.Parameters.Authzen?.Default).toBe('false');
  for (const output of Object.values(stack.Outputs))
    if (JSON.stringify(output).includes('Authzen')) expect(output).toMatchObject({ Condition: 'HasAuthzen' });
  expect(JSON.stringify(resource('AuthzenRole'))).toContain('SECRET#*');
  for (const actions of Object.values(rightsOf('AuthzenRole')))
    for (const action of actions) expect(action).toMatch(/^dynamodb:(?:GetItem|BatchGetItem|Query)$|^logs:/);
  const { Environment } = resource('AuthzenLambdaFunction').Properties;
  const given = Object.entries<unknown>({ ...Environment.Variables, TABLE_NAME: 'table' });
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  expect(() => parseAuthzenConfiguration(texts)).not.toThrow();
});

test('live revocation is there only where a parameter says so, and may close connections of one API', () => {
  const own = Object.entries(stack.Resources).filter(([name]) => /^(?:Sockets|Connections)/.test(name));
  expect(own.length).toBeGreaterThan(6);
  for (const [name, { Condition }] of own)
    expect([name, Condition]).toEqual([name, expect.stringMatching(/^HasSockets/)]);
  expect(stack.Parameters.LiveRevocation?.Default).toBe('false');
  expect(Object.keys(rightsOf('SocketsRole'))).toHaveLength(5);
  expect(rightsOf('SocketsRole')[TABLE]).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem']);
  expect(rightsOf('SocketsRole')[arnOf('ConnectionsTable')]).not.toContain('dynamodb:UpdateItem');
  expect(JSON.stringify(rightsOf('SocketsRole'))).toContain('/DELETE/@connections/*');
  // The change feed brings what decisions rest on, and nothing else: no audit record, no secret.
  const [{ Pattern }] = resource('SocketsChanges').Properties.FilterCriteria.Filters;
  expect(JSON.parse(Pattern)).toEqual({ dynamodb: { Keys: { SK: { S: [{ prefix: 'DECISION' }] } } } });
});

test('logs end after 30 days', () => {
  const groups = ofType('AWS::Logs::LogGroup');
  expect(groups.map(([name, { Properties }]) => [name, Properties.RetentionInDays])).toEqual([
    ['AuthorizerLogGroup', 30],
    ['ProvisioningLogGroup', 30],
  ]);
});

describe('alarms', () => {
  test('cover errors, throttles and latency of each function, and the table, and notify the topic', () => {
    const alarms = ofType('AWS::CloudWatch::Alarm');
    expect(alarms.map(([name]) => name).sort()).toEqual([
      ...['AuthorizerErrorsAlarm', 'AuthorizerLatencyAlarm', 'AuthorizerThrottlesAlarm'],
      ...['ProvisioningErrorsAlarm', 'ProvisioningFaultsAlarm'],
      ...['ProvisioningLatencyAlarm', 'ProvisioningThrottlesAlarm'],
      ...['TableFaultsAlarm', 'TableThrottlesAlarm'],
    ]);
    const toTopic = { 'Fn::If': ['HasAlarmTopic', [{ Ref: 'AlarmTopicArn' }], { Ref: 'AWS::NoValue' }] };
    for (const [, { Properties }] of alarms)
      expect(Properties).toMatchObject({ AlarmActions: toTopic, TreatMissingData: 'notBreaching' });
  });

  test('a fault that provisioning answers with, no error for Lambda, is counted by its log line', () => {
    const { FilterPattern, LogGroupName, MetricTransformations } = resource('ProvisioningFaults').Properties;
    expect(LogGroupName).toEqual({ Ref: 'ProvisioningLogGroup' });
    expect(FilterPattern).toBe('"command failed"');
    const [{ MetricNamespace, MetricName }] = MetricTransformations;
    expect(resource('ProvisioningFaultsAlarm').Properties).toMatchObject({
      ...{ Namespace: MetricNamespace, MetricName, Threshold: 0, ComparisonOperator: 'GreaterThanThreshold' },
    });
  });

  test('a 401, an error for Lambda, is excluded: its log line is counted instead', () => {
    const { FilterPattern, LogGroupName, MetricTransformations } = resource('CredentialsRefused').Properties;
    expect(LogGroupName).toEqual({ Ref: 'AuthorizerLogGroup' });
    expect(FilterPattern).toBe('"credentials refused"');
    expect(refusedLine(new CredentialsError('token_refused'), 'id')).toContain('"credentials refused"');
    const [{ MetricNamespace, MetricName }] = MetricTransformations;
    const { Metrics } = resource('AuthorizerErrorsAlarm').Properties;
    expect(Metrics).toContainEqual(
      expect.objectContaining({
        Id: 'refused',
        MetricStat: expect.objectContaining({ Metric: { Namespace: MetricNamespace, MetricName } }),
      }),
    );
    expect(Metrics[0].Expression).toContain('FILL(errors, 0) - FILL(refused, 0)');
  });
});

test('the outputs have all that an API needs to use the authorizer', () => {
  expect(stack.Outputs).toMatchObject({
    AuthorizerArn: { Value: { 'Fn::GetAtt': ['AuthorizerLambdaFunction', 'Arn'] } },
    AuthorizerInvokeUri: { Value: { 'Fn::Sub': expect.stringMatching(/^arn:.*\/invocations$/) } },
    AuthorizerInvokeRoleArn: { Condition: 'HasInvokeRole' },
  });
});

describe('in the stage dev, with a table that was restored', () => {
  let adopted: Template;
  beforeAll(async () => {
    adopted = await packageStack('dev', { ...ISSUER, tableName: 'restored' });
  });

  test('the stack may be deleted, and has no key, no topic and no role that no parameter asks for', () => {
    const defaults = Object.entries(adopted.Parameters).map(([name, { Default }]) => [name, Default]);
    expect(Object.fromEntries(defaults)).toEqual({
      ...{ TableName: 'restored', TableStreamArn: '', TableKeyArn: '', AlarmTopicArn: '' },
      ...{
        InvokeRole: 'false',
        Authzen: 'false',
        LiveRevocation: 'false',
        SocketsApiId: '*',
        DeletionProtection: 'false',
        LatencyAlarmMs: 1000,
        ApiId: '*',
      },
    });
  });

  test('it makes no table, and everything refers to that one', () => {
    const { Resources, Outputs } = evaluateTemplate(adopted, { Authzen: 'true' });
    expect(Resources).not.toHaveProperty('Table');
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored';
    expect(Outputs).toMatchObject({ TableName: { Value: 'restored' }, TableArn: { Value: arn } });
    for (const name of ['Authorizer', 'Provisioning', 'Authzen']) {
      const { Environment } = Resources[`${name}LambdaFunction`]?.Properties ?? {};
      expect(Environment.Variables.TABLE_NAME).toBe('restored');
      const rights = JSON.stringify(Resources[`${name}Role`]);
      expect(rights).toContain(`"${arn}"`);
      // Provisioning and searches use the indexes.
      expect(rights.includes(`"${arn}/index/GSI1"`)).toBe(name !== 'Authorizer');
    }
    expect(JSON.stringify(Resources.TableThrottlesAlarm)).toContain(
      '{"Name":"TableName","Value":"restored"}',
    );
    // A stream has an ARN of its own, which no name gives.
    expect(Outputs).not.toHaveProperty('TableStreamArn');
    const streamed = evaluateTemplate(adopted, { TableStreamArn: `${arn}/stream/1` });
    expect(streamed.Outputs.TableStreamArn?.Value).toBe(`${arn}/stream/1`);
  });

  test('without one it makes its own', () => {
    const { Resources, Outputs } = evaluateTemplate(stack);
    expect(Resources.Table?.DeletionPolicy).toBe('Retain');
    expect(Outputs).toMatchObject({
      ...{ TableName: { Value: 'Table' }, TableArn: { Value: 'Table.Arn' } },
      TableStreamArn: { Value: 'Table.StreamArn' },
    });
  });
});
