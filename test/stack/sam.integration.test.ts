import { beforeAll, describe, expect, test } from 'vitest';
import { samTemplate } from '../../bundle/sam-template.ts';
import { ISSUER, packageStack, type Resource, type Template } from './template.ts';

interface SamTemplate {
  readonly Parameters: Readonly<Record<string, { readonly Default: string | number }>>;
  readonly Rules: Readonly<Record<string, unknown>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** The package's stack for SAM, against serverless.yml: one stack in two forms. */
const SAM = samTemplate() as unknown as SamTemplate;
const FUNCTIONS = ['Authorizer', 'Provisioning'] as const;
const logical = (name: string) => `${name}LambdaFunction`;

let stack: Template;
beforeAll(async () => {
  stack = await packageStack('live', ISSUER);
});

const values: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(SAM.Parameters).map(([name, { Default }]) => [name, Default])),
  TokenIssuer: ISSUER.tokenIssuer,
  TokenAudience: ISSUER.tokenAudience,
  'AWS::StackName': 'gatehouse-live',
};
const isFilledIn = (name: unknown): name is string =>
  typeof name === 'string' && name in values && !(name in stack.Parameters);

/** The template with its parameters filled in, as Serverless fills in its own. */
function fill(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::Sub': text } = value as { readonly Ref?: unknown; readonly 'Fn::Sub'?: unknown };
  if (isFilledIn(Ref)) return values[Ref];
  if (typeof text === 'string') {
    const filled = text.replace(/\$\{([\w:]+)\}/g, (whole, name) =>
      isFilledIn(name) ? String(values[name]) : whole,
    );
    return filled.includes('${') ? { 'Fn::Sub': filled } : filled;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each)]));
}

/** The stack of Serverless without its own helpers and without AuthZEN. */
function ours<Entry>(entries: Readonly<Record<string, Entry>>): Readonly<Record<string, Entry>> {
  const kept = Object.entries(entries).filter(
    ([name]) => !/Serverless|^Authzen|Lambda(?:Version|FunctionQ)/.test(name),
  );
  return Object.fromEntries(kept);
}

test('every resource is the same: table, roles, rights, logs, alarms', () => {
  const [sam, serverless] = [SAM.Resources, ours(stack.Resources)];
  expect(Object.keys(sam).sort()).toEqual(Object.keys(serverless).sort());
  // Serverless makes the log groups itself, by the name of the stack.
  for (const name of Object.keys(sam).filter((each) => !each.endsWith('LambdaFunction')))
    expect([name, name.endsWith('LogGroup') ? fill(sam[name]) : sam[name]]).toEqual([name, serverless[name]]);
});

describe.each(FUNCTIONS)('the function %s', (name) => {
  test('has the same settings and environment', () => {
    const { CodeUri, LoggingConfig, ...settings } = fill(SAM.Resources[logical(name)]?.Properties) as Record<
      string,
      unknown
    >;
    const { Code: _, ...expected } = ours(stack.Resources)[logical(name)]?.Properties ?? {};
    expect({ ...SAM.Globals.Function, ...settings }).toEqual({ ...expected, Handler: 'handler.handler' });
    expect(CodeUri).toBe(`functions/${name.toLowerCase()}`);
    expect(LoggingConfig).toEqual({ LogGroup: { Ref: `${name}LogGroup` } });
  });

  test('is deployed as it is bundled', () => {
    expect(SAM.Resources[logical(name)]).toMatchObject({ Metadata: { SkipBuild: true } });
  });
});

test('the outputs and conditions are the same', () => {
  expect(SAM.Outputs).toEqual(ours(stack.Outputs));
  const { HasAuthzen: _, HasAuthzenKey: __, ShipsEvaluations: ___, ...conditions } = stack.Conditions;
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
