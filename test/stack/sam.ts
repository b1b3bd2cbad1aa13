import { readFileSync } from 'node:fs';
import * as yaml from 'yaml';
import type { Resource } from './template.ts';

export interface SamTemplate {
  readonly Parameters: Readonly<Record<string, { readonly Default: string | number }>>;
  readonly Rules: Readonly<Record<string, unknown>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** The short forms of CloudFormation's functions, as the long ones. */
const SCALARS: Readonly<Record<string, (text: string) => unknown>> = {
  Ref: (text) => ({ Ref: text }),
  Sub: (text) => ({ 'Fn::Sub': text }),
  GetAtt: (text) => ({ 'Fn::GetAtt': text.split('.') }),
};
const customTags: (yaml.ScalarTag | yaml.CollectionTag)[] = [
  ...Object.entries(SCALARS).map(([name, resolve]) => ({ tag: `!${name}`, resolve })),
  ...['If', 'Not', 'Equals', 'Or', 'And'].map((name) => ({
    tag: `!${name}`,
    collection: 'seq' as const,
    resolve: (values: yaml.YAMLSeq | yaml.YAMLMap) => {
      const node = new yaml.YAMLMap();
      node.items.push(new yaml.Pair(new yaml.Scalar(`Fn::${name}`), values));
      return node;
    },
  })),
];

/** Reads a template of SAM. */
export const readSam = (file: string): SamTemplate =>
  yaml.parse(readFileSync(file, 'utf8'), { customTags, logLevel: 'error' });
