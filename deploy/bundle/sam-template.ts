import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as yaml from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The parts of a CloudFormation template, by section and name. */
type Sections = Readonly<Record<string, unknown>>;

/** What both stacks share. The AuthZEN API is in that of Serverless only. */
const SHARED = [
  'table',
  'rights',
  'tracing',
  'alarms',
  'objectives',
  'dashboard',
  'decision-log',
  'audit',
  'outputs',
  'operators',
] as const;

/** The short forms of CloudFormation's functions, as the long ones. */
const SCALARS: Readonly<Record<string, (text: string) => unknown>> = {
  Ref: (text) => ({ Ref: text }),
  Condition: (text) => ({ Condition: text }),
  Sub: (text) => ({ 'Fn::Sub': text }),
  ImportValue: (text) => ({ 'Fn::ImportValue': text }),
  GetAtt: (text) => ({ 'Fn::GetAtt': text.split('.') }),
};
const LISTS = ['If', 'Not', 'Equals', 'Or', 'And', 'Join', 'Select', 'Split', 'Sub'] as const;

/** CloudFormation's short forms, for the parser of YAML. */
export const customTags: (yaml.ScalarTag | yaml.CollectionTag)[] = [
  ...Object.entries(SCALARS).map(([name, resolve]) => ({ tag: `!${name}`, resolve })),
  ...LISTS.map((name) => ({
    tag: `!${name}`,
    collection: 'seq' as const,
    resolve: (values: yaml.YAMLSeq | yaml.YAMLMap) => {
      const node = new yaml.YAMLMap();
      node.items.push(new yaml.Pair(new yaml.Scalar(`Fn::${name}`), values));
      return node;
    },
  })),
];

/** Fills in values of JSON files (`${file(path.json):name}`) as Serverless does. */
function withFiles(value: unknown): unknown {
  if (typeof value === 'string') {
    const [, file, name] = /^\$\{file\(([\w/.-]+\.json)\):(\w+)\}$/.exec(value) ?? [];
    return file === undefined || name === undefined ? value : valueIn(file, name);
  }
  if (Array.isArray(value)) return value.map(withFiles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFiles(each)]));
}

function valueIn(file: string, name: string): unknown {
  const values = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Readonly<Record<string, unknown>>;
  if (!(name in values)) throw new Error(`${file} has no ${name}`);
  return values[name];
}

/** The parts of a template that a file of deploy/stack/ holds. */
export const sectionsOf = (name: string): Sections =>
  withFiles(
    yaml.parse(readFileSync(join(ROOT, 'deploy/stack', `${name}.yml`), 'utf8'), {
      customTags,
      logLevel: 'error',
      merge: true,
    }),
  ) as Sections;

type Named = Readonly<Record<string, unknown>>;

/** The parameters on which a part of a template depends, by reference or by a condition. */
function parametersOf(
  part: unknown,
  template: { readonly Parameters: Named; readonly Conditions: Named },
): string[] {
  const text = JSON.stringify(part);
  const references = [...text.matchAll(/\{"Ref":"(\w+)"\}|\$\{(\w+)\}/g)].map(
    ([, ref, sub]) => ref ?? sub ?? '',
  );
  const conditions = [...text.matchAll(/"Fn::If":\["(\w+)"|\{"Condition":"(\w+)"\}/g)].flatMap(
    ([, first, second]) => parametersOf(template.Conditions[first ?? second ?? ''], template),
  );
  const names = references.filter((name) => name in template.Parameters);
  return [...new Set([...names, ...conditions])].sort();
}

/** The stack for AWS SAM: its parameters and functions (deploy/stack/sam.yml), and what it shares with serverless.yml. */
export function samTemplate(): Sections {
  const merged: Record<string, unknown> = { ...sectionsOf('sam') };
  for (const name of SHARED)
    for (const [section, entries] of Object.entries(sectionsOf(name)))
      merged[section] = { ...(merged[section] as object | undefined), ...(entries as object) };
  return withConfiguration(merged as never);
}

/** Fills in the kept configuration: each parameter on which a function depends. */
function withConfiguration(
  template: Record<'Globals' | 'Parameters' | 'Conditions' | 'Resources', Named>,
): Sections {
  const { Globals, Resources } = template;
  const functions = Object.values(Resources).filter(
    (resource) => (resource as Named).Type === 'AWS::Serverless::Function',
  );
  const lines = parametersOf([Globals, functions], template).map((name) => `${name}=\${${name}}`);
  const { Properties, ...configuration } = Resources.Configuration as { readonly Properties: Named };
  const filled = {
    ...configuration,
    Properties: { ...Properties, Content: { 'Fn::Sub': lines.join('\n') } },
  };
  return { ...template, Resources: { ...Resources, Configuration: filled } };
}

/** Writes the template of the package, for readers of YAML 1.1 too: to them an unquoted 2012-10-17 is a date. */
export const writeSamTemplate = (file: string): void =>
  writeFileSync(
    file,
    `# Made by \`npm run build\` from deploy/stack/: parameters and use in docs/deployment.md.\n${yaml.stringify(samTemplate(), { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' })}`,
  );
