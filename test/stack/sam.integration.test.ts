import { describe, expect, test } from 'vitest';
import { samTemplate } from '../../deploy/bundle/sam-template.ts';
import { type Evaluated, evaluateTemplate } from './evaluate.ts';
import { ISSUER, packageStack, type Resource, type Template } from './template.ts';

interface SamTemplate extends Template {
  readonly Rules: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
}

/** The package's stack for SAM, against serverless.yml: one stack in two forms. */
const SAM = samTemplate() as unknown as SamTemplate;
const FUNCTIONS = ['Authorizer', 'Provisioning'] as const;
const logical = (name: string) => `${name}LambdaFunction`;

const EVALUATED = evaluateTemplate(SAM, {
  TokenIssuer: ISSUER.tokenIssuer,
  TokenAudience: ISSUER.tokenAudience,
});

const stack = await packageStack('live', ISSUER);
const evaluated: Evaluated = evaluateTemplate(stack);

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

test('with decisions for a Firehose stream that nobody names it is refused before anything is made', () => {
  expect(SAM.Rules).toMatchObject({
    FirehoseIsNamed: {
      RuleCondition: { 'Fn::Equals': [{ Ref: 'DecisionLogTo' }, 'firehose'] },
      Assertions: [{ Assert: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'DecisionLogStreamArn' }, ''] }] } }],
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
            'Fn::Or': [{ 'Fn::And': [given('TokenIssuer'), given('TokenAudience')] }, given('TokenIssuers')],
          },
        },
      ],
    },
  });
});
