import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as yaml from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The parts of a CloudFormation template, by section and name. */
type Sections = Readonly<Record<string, unknown>>;

/** What both stacks share. The AuthZEN API is in that of Serverless only. */
const SHARED = ['table', 'rights', 'alarms', 'outputs'] as const;

/** The short forms of CloudFormation's functions, as the long ones. */
const SCALARS: Readonly<Record<string, (text: string) => unknown>> = {
  Ref: (text) => ({ Ref: text }),
  Condition: (text) => ({ Condition: text }),
  Sub: (text) => ({ 'Fn::Sub': text }),
  GetAtt: (text) => ({ 'Fn::GetAtt': text.split('.') }),
};
const LISTS = ['If', 'Not', 'Equals', 'Or', 'And', 'Join', 'Select', 'Split', 'Sub'] as const;

const customTags: (yaml.ScalarTag | yaml.CollectionTag)[] = [
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

const read = (name: string): Sections =>
  withFiles(
    yaml.parse(readFileSync(join(ROOT, 'stack', `${name}.yml`), 'utf8'), {
      customTags,
      logLevel: 'error',
      merge: true,
    }),
  ) as Sections;

/** The stack for AWS SAM: its parameters and functions (stack/sam.yml), and what it shares with serverless.yml. */
export function samTemplate(): Sections {
  const merged: Record<string, unknown> = { ...read('sam') };
  for (const name of SHARED)
    for (const [section, entries] of Object.entries(read(name)))
      merged[section] = { ...(merged[section] as object | undefined), ...(entries as object) };
  return merged;
}

/** Writes the template of the package. */
export const writeSamTemplate = (file: string): void =>
  writeFileSync(
    file,
    `# Made by \`npm run build\` from stack/: parameters and use in docs/deployment.md.\n${yaml.stringify(samTemplate(), { aliasDuplicateObjects: false, lineWidth: 0 })}`,
  );
