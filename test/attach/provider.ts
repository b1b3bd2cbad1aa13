import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { blocksOf } from './terraform.ts';

/**
 * Terraform against the schema of its AWS provider: `provider.ts LIB FILE…`. The schema is in the types that the CDK for
 * Terraform has generated from it (`@cdktf/provider-aws`, its folder `lib`); a file is what python-hcl2 parses.
 */
interface Attribute {
  readonly required: boolean;
  readonly type: string;
}
type Schema = ReadonlyMap<string, Readonly<Record<string, Attribute>>>;

/** What Terraform itself reads in any block. */
const OF_TERRAFORM = ['depends_on', 'for_each', 'count', 'lifecycle', 'provider'];

/** The interfaces in a file of types: name to attributes. */
function schemaIn(text: string): Schema {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, '');
  const interfaces = plain.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm);
  return new Map(
    [...interfaces].map(([, name = '', body = '']) => [
      name,
      Object.fromEntries(
        [...body.matchAll(/^ {4}readonly (\w+)(\?)?: ([\s\S]*?);$/gm)].map(
          ([, attribute = '', optional, type = '']) => [
            attribute,
            { required: optional === undefined, type },
          ],
        ),
      ),
    ]),
  );
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Whether a value that is no expression can have a type. */
function fits(value: unknown, type: string): boolean {
  if (typeof value === 'string') return value.includes('${') || /^string\b|: string|\bany\b/.test(type);
  if (typeof value === 'number') return /\bnumber\b/.test(type);
  if (typeof value === 'boolean') return /\bboolean\b/.test(type);
  if (Array.isArray(value)) return /\[\]/.test(type) || value.every((each) => typeof each === 'object');
  return type.startsWith('{') || /^[A-Z]/.test(type);
}

function wrongIn(schema: Schema, name: string, block: Readonly<Record<string, unknown>>): readonly string[] {
  const attributes = schema.get(name);
  if (attributes === undefined) return [`there is no ${name}`];
  const given = Object.entries(block).filter(([each]) => !OF_TERRAFORM.includes(each));
  const missing = Object.entries(attributes).filter(
    ([attribute, { required }]) => required && !given.some(([each]) => camel(each) === attribute),
  );
  return [
    ...missing.map(([attribute]) => `${attribute} is missing`),
    ...given.flatMap(([each, value]) => {
      const attribute = attributes[camel(each)];
      if (attribute === undefined) return [`there is no ${each}`];
      if (!fits(value, attribute.type)) return [`${each} is no ${attribute.type}`];
      const [inner = ''] = /^[A-Z]\w+/.exec(attribute.type) ?? [];
      return schema.has(inner)
        ? [value].flat().flatMap((item) => wrongIn(schema, inner, item as Readonly<Record<string, unknown>>))
        : [];
    }),
  ];
}

const [lib = '', ...files] = process.argv.slice(2);
for (const file of files) {
  const parsed = JSON.parse(readFileSync(file, 'utf8'));
  for (const kind of ['resource', 'data'] as const)
    for (const [name, block] of Object.entries(blocksOf(parsed, kind))) {
      const [, type = ''] = /^aws_(\w+)\./.exec(name) ?? [];
      if (type === '') continue;
      const prefix = kind === 'data' ? 'data-aws-' : '';
      const schema = schemaIn(
        readFileSync(join(lib, prefix + type.replaceAll('_', '-'), 'index.d.ts'), 'utf8'),
      );
      const top = [...schema.keys()].find((each) => each.endsWith('Config')) ?? '';
      for (const each of wrongIn(schema, top, block)) {
        console.error(`${basename(file)}: ${name}: ${each}`);
        process.exitCode = 1;
      }
    }
}
