import { describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/index.ts';
import { parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import reference from '../../deploy/stack/table-reference.json' with { type: 'json' };
import { parseScimConfiguration } from '../../scim/configuration.ts';
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };
import { evaluateTemplate } from './evaluate.ts';
import { ISSUER, packageStack, type Resource, type Template } from './template.ts';

const ENVIRONMENT_KEY = 'arn:aws:kms:eu-central-1:123456789012:key/e';

/** What `serverless.yml` becomes: the template that CloudFormation would get. */
// One after the other: they share a folder.
const stack = await packageStack('live', {
  tableKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/k',
  environmentKeyArn: ENVIRONMENT_KEY,
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  ...ISSUER,
});
const adopted = await packageStack('dev', { ...ISSUER, tableName: 'restored' });

const resource = (name: string): Resource => {
  const found = stack.Resources[name];
  if (found === undefined) throw new Error(`the stack has no ${name}`);
  return found;
};
/** Features that a parameter switches on; each has tests of its own. */
const FEATURES = /^(?:AuthorizerTracing|AuthzenTracing|Sockets|Connections|Decision|Audit|Operator)/;
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
    const ofTable = names.filter((name) => !name.includes('Environment'));
    expect(ofTable.sort()).toEqual(['AuthzenKeyPolicy', 'ScimKeyPolicy', 'TableKeyPolicy']);
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

  test('with a customer key for the environment each function may decrypt with it; logs take theirs', () => {
    const keys = { LogsKeyArn: 'arn:logs', EnvironmentKeyArn: 'arn:environment', Authzen: 'true' };
    const { Resources } = evaluateTemplate(stack, keys);
    for (const name of ['EnvironmentKeyPolicy', 'AuthzenEnvironmentKeyPolicy'])
      expect(Resources[name]?.Properties.PolicyDocument.Statement).toEqual([
        { Effect: 'Allow', Action: 'kms:Decrypt', Resource: 'arn:environment' },
      ]);
    expect(Resources.EnvironmentKeyPolicy?.Properties.Roles).toEqual(['AuthorizerRole', 'ProvisioningRole']);
    expect(Resources.AuthzenEnvironmentKeyPolicy?.Properties.Roles).toEqual(['AuthzenRole']);
    for (const name of ['Authorizer', 'Provisioning', 'Authzen']) {
      expect(Resources[`${name}LogGroup`]?.Properties.KmsKeyId).toBe('arn:logs');
      expect(resource(`${name}LambdaFunction`).Properties.KmsKeyArn).toBe(ENVIRONMENT_KEY);
    }
    const plain = evaluateTemplate(stack, { EnvironmentKeyArn: '' }).Resources;
    expect(plain).not.toHaveProperty('EnvironmentKeyPolicy');
    expect(plain.AuthorizerLogGroup?.Properties).not.toHaveProperty('KmsKeyId');
  });

  test('no policy allows a Scan, PartiQL, an index to the authorizer, or anything by wildcard', () => {
    const policies = [...ofType('AWS::IAM::Role'), ...ofType('AWS::IAM::Policy')];
    expect(policies.map(([name]) => name).sort()).toEqual([
      ...['AuthorizerInvokeRole', 'AuthorizerRole', 'AuthzenEnvironmentKeyPolicy', 'AuthzenKeyPolicy'],
      ...['AuthzenRole', 'DeploymentRole', 'EnvironmentKeyPolicy', 'ProvisioningRole'],
      ...['ScimEnvironmentKeyPolicy', 'ScimKeyPolicy', 'ScimRole', 'TableKeyPolicy'],
    ]);
    // What sends traces takes no resource.
    for (const [, { Properties }] of policies.filter(([name]) => !name.endsWith('TracingPolicy')))
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
        FunctionName: { Ref: 'AuthorizerLambdaFunctionAliaslive' },
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
        Resource: { Ref: 'AuthorizerLambdaFunctionAliaslive' },
      },
    ]);
  });
});

// What else is refused: parameters.test.ts.
test('with a misspelt parameter nothing is packaged', async () => {
  const message = 'tokenAudence: there is no such parameter; did you mean tokenAudience?';
  await expect(packageStack('live', { ...ISSUER, tokenAudence: 'x' })).rejects.toThrow(message);
});

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
  expect(functions).toHaveLength(4);
  for (const { Runtime, Architectures } of functions)
    expect([Runtime, Architectures]).toEqual(['nodejs24.x', ['arm64']]);
  const { Timeout, Environment } = resource('AuthorizerLambdaFunction').Properties;
  expect(Timeout).toBeLessThan(10);
  expect(Environment.Variables).toMatchObject({
    TABLE_NAME: { 'Fn::If': ['CreatesTable', { Ref: 'Table' }, ''] },
    TOKEN_ISSUER: 'https://issuer.example',
  });
});

test.each([
  ['Authzen', 'Authzen', /^Authzen/, /^HasAuthzen|^ShipsEvaluations$/],
  ['Scim', 'Scim', /^Scim/, /^HasScim/],
  ['the audit log outside the table', 'AuditStorage', /^Audit/, /^HasAudit(?:Storage|Key)$/],
  ['live revocation', 'LiveRevocation', /^(?:Sockets|Connections)/, /^HasSockets/],
])('%s is there only where a parameter says so', (_, parameter, ours, condition) => {
  expect(stack.Parameters[parameter]?.Default).toBe('false');
  const own = Object.entries(stack.Resources).filter(([name]) => ours.test(name));
  expect(own.length).toBeGreaterThan(6);
  for (const [name, { Condition }] of own)
    expect([name, Condition]).toEqual([name, expect.stringMatching(condition)]);
  for (const output of Object.values(stack.Outputs))
    if (own.some(([name]) => JSON.stringify(output).includes(`"${name}`)))
      expect(output.Condition).toMatch(condition);
});

test.each<[string, (environment: Record<string, string>) => unknown]>([
  ['Authorizer', parseConfiguration],
  ['Authzen', parseAuthzenConfiguration],
  ['Scim', (texts) => parseScimConfiguration({ ...texts, PUBLIC_URL: 'https://scim.example.com' })],
])('the function %s can read its environment', (name, parseEnvironment) => {
  const { Environment } = resource(`${name}LambdaFunction`).Properties;
  const given = Object.entries<unknown>({ ...Environment.Variables, TABLE_NAME: 'table' });
  const texts = Object.fromEntries(given.map(([variable, value]) => [variable, String(value)]));
  expect(() => parseEnvironment(texts)).not.toThrow();
});

test('AuthZEN may read the table, and SCIM neither reads nor cuts the audit log', () => {
  for (const actions of Object.values(rightsOf('AuthzenRole')))
    for (const action of actions) expect(action).toMatch(/^dynamodb:(?:GetItem|BatchGetItem|Query)$|^logs:/);
  const { Statement } = resource('ScimRole').Properties.Policies[0].PolicyDocument;
  const denied = Statement.find(({ Effect }: Statement) => Effect === 'Deny');
  expect(denied.Action).toContain('dynamodb:DeleteItem');
  expect(JSON.stringify(denied.Condition)).toContain('"AUDIT*","APPROVAL#*"');
});

test('live revocation may close connections of one API', () => {
  expect(Object.keys(rightsOf('SocketsRole'))).toHaveLength(5);
  expect(rightsOf('SocketsRole')[TABLE]).toEqual(['dynamodb:GetItem', 'dynamodb:BatchGetItem']);
  expect(rightsOf('SocketsRole')[arnOf('ConnectionsTable')]).not.toContain('dynamodb:UpdateItem');
  expect(JSON.stringify(rightsOf('SocketsRole'))).toContain('/DELETE/@connections/*');
  // The change feed brings what decisions rest on, and nothing else: no audit record, no secret.
  const { FilterCriteria, FunctionResponseTypes } = resource('SocketsChanges').Properties;
  const [{ Pattern }] = FilterCriteria.Filters;
  expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  expect(JSON.parse(Pattern)).toEqual({ dynamodb: { Keys: { SK: { S: [{ prefix: 'DECISION' }] } } } });
});

/** Of those that both forms of the stack have: alarms.test.ts. */
test('alarms cover errors, throttles and latency of each function, and notify the topic', () => {
  const alarms = ofType('AWS::CloudWatch::Alarm').filter(([name]) => !/Burn\d+/.test(name));
  const covered = ['Authorizer', 'Provisioning', 'Authzen', 'Scim'].flatMap((name) =>
    ['Errors', 'Throttles', 'Latency'].map((kind) => `${name}${kind}Alarm`),
  );
  const others = [
    'TableThrottlesAlarm',
    'ScimAdministratorEndedAlarm',
    'ScimCredentialEndsAlarm',
    'ScimSilentAlarm',
  ];
  expect(alarms.map(([name]) => name)).toEqual(expect.arrayContaining([...covered, ...others]));
  const toTopic = { 'Fn::If': ['HasAlarmTopic', [{ Ref: 'AlarmTopicArn' }], { Ref: 'AWS::NoValue' }] };
  for (const [name, { Properties }] of alarms) {
    // Silence is what this one waits for.
    const TreatMissingData = name === 'ScimSilentAlarm' ? 'breaching' : 'notBreaching';
    expect(Properties).toMatchObject({ AlarmActions: toTopic, TreatMissingData });
  }
});

describe('a new version', () => {
  const FUNCTIONS = ['Authorizer', 'Provisioning', 'Authzen'] as const;
  const evaluated = (parameters = {}) =>
    evaluateTemplate(stack, { Authzen: 'true', ...parameters }).Resources;

  test.each(FUNCTIONS)('of %s is what its alias names, and CodeDeploy shifts the alias', (name) => {
    const { Properties, UpdatePolicy } = evaluated()[`${name}LambdaFunctionAliaslive`] as Resource;
    const own = `${name}LambdaFunction`;
    expect(Properties).toMatchObject({ Name: 'live', FunctionName: own });
    const [version = ''] = Properties.FunctionVersion.split('.');
    expect(evaluated()[version]).toMatchObject({
      Type: 'AWS::Lambda::Version',
      Properties: { FunctionName: own },
    });
    expect(UpdatePolicy).toEqual({
      CodeDeployLambdaAliasUpdate: {
        ApplicationName: 'DeploymentApplication',
        DeploymentGroupName: `${name}DeploymentGroup`,
      },
    });
  });

  test.each(FUNCTIONS)('of %s is taken back when an alarm rings; at once, none is asked', (name) => {
    const group = (parameters = {}) => evaluated(parameters)[`${name}DeploymentGroup`]?.Properties;
    expect(stack.Parameters.Canary?.Default).toBe('Canary10Percent5Minutes');
    expect(group()).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']),
      },
      AlarmConfiguration: { Enabled: true },
    });
    const alarms: string[] = group().AlarmConfiguration.Alarms.map(({ Name }: { Name: string }) => Name);
    for (const kind of [`${name}ErrorsAlarm`, `${name}LatencyAlarm`, 'InitFailuresAlarm'])
      expect(alarms).toContain(kind);
    for (const alarm of alarms) expect(evaluated()).toHaveProperty(alarm);
    expect(group({ Canary: 'AllAtOnce' })).not.toHaveProperty('AlarmConfiguration');
  });

  test('of the writer waits for those of the readers, and is taken back where readers fail', () => {
    const { DependsOn, Properties } = evaluated().ProvisioningLambdaFunction as Resource;
    expect(DependsOn).toContain('AuthorizerLambdaFunctionAliaslive');
    // A reference is a dependency too, where the function exists.
    expect(JSON.stringify(Properties)).toContain('"AuthzenLambdaFunctionAliaslive"');
    const without = evaluated({ Authzen: 'false' }).ProvisioningLambdaFunction;
    expect(JSON.stringify(without)).not.toContain('Authzen');
    const { AlarmConfiguration } = evaluated().ProvisioningDeploymentGroup?.Properties ?? {};
    expect(AlarmConfiguration.Alarms).toContainEqual({ Name: 'AuthorizerErrorsAlarm' });
    for (const reader of ['Authorizer', 'Authzen']) {
      const parts = Object.entries(evaluated()).filter(([each]) => each.startsWith(reader));
      expect(JSON.stringify(parts)).not.toContain('Provisioning');
    }
  });

  test('has the copies that the parameters ask for', () => {
    const authorizer = evaluated({ ProvisionedConcurrency: 3, ReservedConcurrency: '50' });
    expect(authorizer.AuthorizerLambdaFunctionAliaslive?.Properties).toMatchObject({
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 },
    });
    expect(authorizer.AuthorizerLambdaFunction?.Properties.ReservedConcurrentExecutions).toBe('50');
    const plain = evaluated();
    expect(plain.AuthorizerLambdaFunctionAliaslive?.Properties).not.toHaveProperty(
      'ProvisionedConcurrencyConfig',
    );
    expect(plain.AuthorizerLambdaFunction?.Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });
});

test('the URL for operators leads to the alias, as every other way to provisioning does', () => {
  const { Properties, DependsOn } = resource('ProvisioningUrl');
  expect(Properties).toMatchObject({ Qualifier: 'live', AuthType: 'AWS_IAM' });
  expect(DependsOn).toContain('ProvisioningLambdaFunctionAliaslive');
});

/** What Lambda and EventBridge Pipes need to read a stream of DynamoDB, by their documents. */
const READS_STREAM = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (action) => `dynamodb:${action}`,
);

test('whoever reads a stream of the table has all the rights that its event source takes', () => {
  const roleOf = ({ Type, Properties }: Resource): string | undefined => {
    // That of decisions reads a stream of Kinesis.
    if (Type === 'AWS::Pipes::Pipe' && !JSON.stringify(Properties.Source).includes('DecisionLogStream'))
      return Properties.RoleArn['Fn::GetAtt'][0];
    if (Type !== 'AWS::Lambda::EventSourceMapping') return undefined;
    return resource(Properties.FunctionName['Fn::GetAtt'][0]).Properties.Role['Fn::GetAtt'][0];
  };
  const roles = Object.values(stack.Resources).flatMap((each) => roleOf(each) ?? []);
  expect(roles).toEqual(expect.arrayContaining(['SocketsRole', 'AuditPipeRole']));
  for (const role of roles) {
    const statements: Statement[] = resource(role).Properties.Policies.flatMap(
      ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
    );
    const ofStream = statements.find(({ Action }) => listed(Action).includes('dynamodb:GetRecords'));
    expect([...listed(ofStream?.Action ?? [])].sort(), role).toEqual(READS_STREAM);
  }
});

describe('the decision log', () => {
  const ships = ['DecisionLogFilter', 'AuthzenDecisionLogFilter'];
  const stream = { 'Fn::GetAtt': ['DecisionLogStream', 'Arn'] };
  const firehose = { Ref: 'DecisionLogStreamArn' };

  test('goes to Firehose where a stream is named: rights and targets never have an empty ARN', () => {
    const shipped = (parameters: Readonly<Record<string, string>>) =>
      evaluateTemplate(stack, { ...parameters, Authzen: 'true' }).Resources;
    const named = shipped({ DecisionLogTo: 'firehose', DecisionLogStreamArn: 'arn:decisions' });
    expect(ships.map((name) => named[name]?.Properties)).toMatchObject(
      ['AuthorizerLogGroup', 'AuthzenLogGroup'].map((LogGroupName) => ({
        LogGroupName,
        FilterPattern: '{ ($.message = "decision") || ($.message = "decision log") }',
        DestinationArn: 'arn:decisions',
      })),
    );
    expect(named).not.toHaveProperty('DecisionLogStream');
    const bus = shipped({ DecisionLogTo: 'eventbridge' });
    for (const name of ships) expect(bus[name]?.Properties.DestinationArn).toBe('DecisionLogStream.Arn');
    for (const name of [...ships, 'DecisionBus', 'DecisionPipe'])
      expect(shipped({})).not.toHaveProperty(name);
    const unnamed = shipped({ DecisionLogTo: 'firehose' });
    for (const name of [...ships, 'DecisionLogRole']) expect(unnamed).not.toHaveProperty(name);
  });

  test('CloudWatch Logs may put records into that one stream, the pipe may read it and put events on the bus', () => {
    const [{ PolicyDocument }] = resource('DecisionLogRole').Properties.Policies;
    const allow = (Action: readonly string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
    expect(PolicyDocument.Statement).toEqual([
      {
        'Fn::If': [
          'ShipsDecisionsToFirehose',
          allow(['firehose:PutRecord', 'firehose:PutRecordBatch'], firehose),
          allow(['kinesis:PutRecord', 'kinesis:PutRecords'], stream),
        ],
      },
    ]);
    const { [JSON.stringify(stream)]: reads, ...others } = rightsOf('DecisionPipeRole');
    for (const action of reads ?? []) expect(action).toMatch(/^kinesis:(?:Describe|Get|List)/);
    expect(others).toEqual({ [arnOf('DecisionBus')]: ['events:PutEvents'] });
    for (const [role, service] of [
      ['DecisionLogRole', 'logs'],
      ['DecisionPipeRole', 'pipes'],
    ] as const)
      expect(resource(role).Properties.AssumeRolePolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: `${service}.amazonaws.com` },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ]);
  });
});

describe('in the stage dev, with a table that was restored', () => {
  test('it makes no table, and everything refers to that one', () => {
    expect(adopted.Parameters.DeletionProtection?.Default).toBe('false');
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

  test('what reads the stream reads the one that is named, and has no name, so that it can be replaced', () => {
    const readers = { AuditStorage: 'true', LiveRevocation: 'true' };
    const { Resources: streamed } = evaluateTemplate(adopted, { ...readers, TableStreamArn: 'arn:stream' });
    expect(streamed.AuditPipe?.Properties.Source).toBe('arn:stream');
    expect(streamed.AuditPipe?.Properties).not.toHaveProperty('Name');
    for (const name of ['AuditPipeRole', 'SocketsRole'])
      expect(JSON.stringify(streamed[name])).toContain('"Resource":"arn:stream"');
    // A stack that makes its table reads the stream of that one.
    const { Resources: own } = evaluateTemplate(stack, { ...readers, TableStreamArn: 'arn:stream' });
    expect(own.AuditPipe?.Properties.Source).toBe('Table.StreamArn');
  });

  test('without one it makes its own', () => {
    const { Resources, Outputs } = evaluateTemplate(stack);
    expect(Resources.Table?.DeletionPolicy).toBe('Retain');
    expect(Outputs).toMatchObject({
      TableName: { Value: 'Table' },
      TableArn: { Value: 'Table.Arn' },
      TableStreamArn: { Value: 'Table.StreamArn' },
    });
  });
});

test('traces are sent where they are switched on, with the rights for that and no others', () => {
  const none = { Ref: 'AWS::NoValue' };
  for (const [name, condition] of [
    ['Authorizer', 'HasXray'],
    ['Authzen', 'HasAuthzenXray'],
  ]) {
    expect(resource(`${name}LambdaFunction`).Properties).toMatchObject({
      TracingConfig: { Mode: { 'Fn::If': ['HasXray', 'Active', 'PassThrough'] } },
      Layers: { 'Fn::If': ['HasTracingLayer', [{ Ref: 'TracingLayerArn' }], none] },
      Environment: {
        Variables: {
          AWS_LAMBDA_EXEC_WRAPPER: { 'Fn::If': ['HasTracingLayer', '/opt/otel-instrument', none] },
        },
      },
    });
    const { Condition, Properties } = resource(`${name}TracingPolicy`);
    expect(Condition).toBe(condition);
    expect(Properties.Roles).toEqual([{ Ref: `${name}Role` }]);
    expect(Properties.PolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: '*' },
    ]);
  }
});

interface SamTemplate extends Template {
  readonly Rules: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
}

/** Of the package: one stack in two forms. */
describe('the stack for SAM, against serverless.yml', () => {
  const SAM = samTemplate() as unknown as SamTemplate;
  const FUNCTIONS = ['Authorizer', 'Provisioning'] as const;
  const logical = (name: string) => `${name}LambdaFunction`;

  const EVALUATED = evaluateTemplate(SAM, {
    TokenIssuer: ISSUER.tokenIssuer,
    TokenAudience: ISSUER.tokenAudience,
  });

  const evaluated = evaluateTemplate(stack, { TableKeyArn: '', EnvironmentKeyArn: '', AlarmTopicArn: '' });

  /** The stack of Serverless without its own helpers, without AuthZEN and live revocation, and without what SAM makes of a function. */
  function ours<Entry>(entries: Readonly<Record<string, Entry>>): Readonly<Record<string, Entry>> {
    const kept = Object.entries(entries).filter(
      ([name]) =>
        !/Serverless|^(?:Authzen|Scim|Sockets|Connections)|Lambda(?:Version|FunctionQ)|Aliaslive|Deployment(?:App|Gr)/.test(
          name,
        ),
    );
    return Object.fromEntries(kept);
  }

  test('every resource is the same: table, roles, rights, logs, alarms', () => {
    const { ConfigurationHistory: _, ConfigurationProfile: __, Configuration: ___, ...sam } = SAM.Resources;
    const serverless = ours(stack.Resources);
    expect(Object.keys(sam).sort()).toEqual(Object.keys(serverless).sort());
    // Serverless makes the log groups itself, by the name of the stack.
    for (const name of Object.keys(sam).filter((each) => !/LambdaFunction$|LogGroup$/.test(each)))
      expect([name, sam[name]]).toEqual([name, serverless[name]]);
    for (const name of ['AuthorizerLogGroup', 'ProvisioningLogGroup'])
      expect(EVALUATED.Resources[name]).toEqual(evaluated.Resources[name]);
  });

  describe.each(FUNCTIONS)('the function %s', (name) => {
    test('has the same settings and environment', () => {
      const { CodeUri, LoggingConfig, Description, Tracing, ...properties } =
        EVALUATED.Resources[logical(name)]?.Properties ?? {};
      const {
        Code: _,
        Tags: __,
        KmsKeyArn: ___,
        Description: described,
        TracingConfig,
        ...expected
      } = evaluated.Resources[logical(name)]?.Properties ?? {};
      expect(TracingConfig).toEqual(Tracing && { Mode: Tracing });
      // What SAM makes versions and aliases of: below.
      const isOfVersion =
        /^(?:AutoPublish|VersionDescription|DeploymentPreference|ProvisionedConcurrency|KmsKeyArn)/;
      const settings = Object.entries({ ...SAM.Globals.Function, ...properties });
      expect(Object.fromEntries(settings.filter(([each]) => !isOfVersion.test(each)))).toEqual({
        ...expected,
        Handler: 'handler.handler',
      });
      expect(Description).toBe(`${described} Configuration Configuration.VersionNumber.`);
      expect(CodeUri).toBe(`functions/${name.toLowerCase()}`);
      expect(LoggingConfig).toEqual({ LogGroup: `${name}LogGroup` });
    });

    test('is deployed as it is bundled', () => {
      expect(SAM.Resources[logical(name)]).toMatchObject({ Metadata: { SkipBuild: true } });
    });
  });

  describe.each(FUNCTIONS)('a new version of %s', (name) => {
    test('is shifted to and taken back as in the stack of Serverless', () => {
      expect(SAM.Globals.Function.AutoPublishAlias).toBe('live');
      const { DeploymentPreference } = EVALUATED.Resources[logical(name)]?.Properties ?? {};
      const group = evaluated.Resources[`${name}DeploymentGroup`]?.Properties;
      expect(DeploymentPreference).toEqual({
        Type: 'Canary10Percent5Minutes',
        Role: group.ServiceRoleArn,
        Alarms: group.AlarmConfiguration.Alarms.map((alarm: { Name: string }) => alarm.Name),
      });
      const atOnce = evaluateTemplate(SAM, { Canary: 'AllAtOnce' }).Resources[logical(name)]?.Properties;
      expect(atOnce.DeploymentPreference.Alarms).toEqual([]);
      const after = name === 'Provisioning' ? 'AuthorizerLambdaFunctionAliaslive' : undefined;
      expect(SAM.Resources[logical(name)]?.DependsOn).toBe(after);
    });

    // SAM makes a version where the template changes, and a changed parameter does not change it.
    test('is made when a parameter changes that it depends on', () => {
      const { AutoPublishAliasAllProperties, VersionDescription, Description } =
        EVALUATED.Resources[logical(name)]?.Properties ?? {};
      expect(AutoPublishAliasAllProperties).toBe(true);
      expect(VersionDescription).toBe('Configuration Configuration.VersionNumber');
      // Lambda makes no version of a function that is as it was.
      expect(Description).toContain('Configuration.VersionNumber');
      const kept = (parameters = {}) =>
        evaluateTemplate(SAM, parameters).Resources.Configuration?.Properties.Content;
      const globals: Resource = { Type: '', Properties: SAM.Globals };
      const whole = { ...SAM, Resources: { ...SAM.Resources, globals } };
      const made = (parameters = {}) => {
        const { Resources } = evaluateTemplate(whole, parameters);
        return JSON.stringify([Resources.globals, Resources[logical(name)]]);
      };
      for (const [parameter, { AllowedValues, Default }] of Object.entries(SAM.Parameters)) {
        const changed = { [parameter]: AllowedValues?.find((value) => value !== Default) ?? '7' };
        if (made(changed) !== made()) expect([parameter, kept(changed)]).not.toEqual([parameter, kept()]);
      }
      expect(kept({ TokenIssuer: 'https://other.example' })).not.toBe(kept());
      expect(kept({ AlarmTopicArn: 'arn' })).toBe(kept());
    });
  });

  test('the outputs and conditions are the same', () => {
    expect(SAM.Outputs).toEqual(ours(stack.Outputs));
    const conditions = Object.entries(stack.Conditions).filter(
      ([name]) => !/^(?:HasAuthzen|HasScim|HasSockets|ShipsEvaluations)/.test(name),
    );
    // Serverless knows the namespace when it packages.
    const { HasMetrics: _, ...sam } = SAM.Conditions;
    expect(sam).toEqual(Object.fromEntries(conditions));
  });

  test('with a stream to write or to read that nobody names it is refused before anything is made', () => {
    expect(SAM.Rules).toMatchObject({
      FirehoseIsNamed: {
        RuleCondition: { 'Fn::Equals': [{ Ref: 'DecisionLogTo' }, 'firehose'] },
        Assertions: [{ Assert: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'DecisionLogStreamArn' }, ''] }] } }],
      },
      StreamIsNamed: {
        RuleCondition: {
          'Fn::And': [
            { 'Fn::Equals': [{ Ref: 'AuditStorage' }, 'true'] },
            { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'TableName' }, ''] }] },
          ],
        },
        Assertions: [{ Assert: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'TableStreamArn' }, ''] }] } }],
      },
    });
  });

  test('without an issuer it is refused before anything is made', () => {
    const ref = (name: string) => ({ Ref: name });
    const given = (name: string) => ({ 'Fn::Not': [{ 'Fn::Equals': [ref(name), ''] }] });
    expect(SAM.Rules).toMatchObject({
      TokensAreConfigured: {
        Assertions: [
          {
            Assert: {
              'Fn::Or': [
                { 'Fn::And': [given('TokenIssuer'), given('TokenAudience')] },
                given('TokenIssuers'),
              ],
            },
          },
        ],
      },
    });
  });
});
