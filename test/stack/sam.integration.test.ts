import { beforeAll, describe, expect, test } from 'vitest';
import { samTemplate } from '../../bundle/sam-template.ts';
import { type Evaluated, evaluateTemplate } from './evaluate.ts';
import { ISSUER, packageStack, type Template } from './template.ts';

interface SamTemplate extends Template {
  readonly Rules: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
}

/** The package's stack for SAM, against serverless.yml: one stack in two forms. */
const SAM = samTemplate() as unknown as SamTemplate;
const FUNCTIONS = ['Authorizer', 'Provisioning'] as const;
const logical = (name: string) => `${name}LambdaFunction`;

const EVALUATED = evaluateTemplate(SAM, {
  ...{ TokenIssuer: ISSUER.tokenIssuer, TokenAudience: ISSUER.tokenAudience },
});

let stack: Template;
let evaluated: Evaluated;
beforeAll(async () => {
  stack = await packageStack('live', ISSUER);
  evaluated = evaluateTemplate(stack);
});

/** The stack of Serverless without its own helpers, AuthZEN and live revocation. */
function ours<Entry>(entries: Readonly<Record<string, Entry>>): Readonly<Record<string, Entry>> {
  const kept = Object.entries(entries).filter(
    ([name]) => !/Serverless|^(?:Authzen|Sockets|Connections)|Lambda(?:Version|FunctionQ)/.test(name),
  );
  return Object.fromEntries(kept);
}

test('every resource is the same: table, roles, rights, logs, alarms', () => {
  const [sam, serverless] = [SAM.Resources, ours(stack.Resources)];
  expect(Object.keys(sam).sort()).toEqual(Object.keys(serverless).sort());
  // Serverless makes the log groups itself, by the name of the stack.
  for (const name of Object.keys(sam).filter((each) => !/LambdaFunction$|LogGroup$/.test(each)))
    expect([name, sam[name]]).toEqual([name, serverless[name]]);
  for (const name of ['AuthorizerLogGroup', 'ProvisioningLogGroup'])
    expect(EVALUATED.Resources[name]).toEqual(evaluated.Resources[name]);
});

describe.each(FUNCTIONS)('the function %s', (name) => {
  test('has the same settings and environment', () => {
    const { CodeUri, LoggingConfig, ...settings } = EVALUATED.Resources[logical(name)]?.Properties ?? {};
    const { Code: _, ...expected } = evaluated.Resources[logical(name)]?.Properties ?? {};
    expect({ ...SAM.Globals.Function, ...settings }).toEqual({ ...expected, Handler: 'handler.handler' });
    expect(CodeUri).toBe(`functions/${name.toLowerCase()}`);
    expect(LoggingConfig).toEqual({ LogGroup: `${name}LogGroup` });
  });

  test('is deployed as it is bundled', () => {
    expect(SAM.Resources[logical(name)]).toMatchObject({ Metadata: { SkipBuild: true } });
  });
});

test('the outputs and conditions are the same', () => {
  expect(SAM.Outputs).toEqual(ours(stack.Outputs));
  const conditions = Object.fromEntries(
    Object.entries(stack.Conditions).filter(([name]) => !/^Has(?:Authzen|Sockets)/.test(name)),
  );
  expect(SAM.Conditions).toEqual(conditions);
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
