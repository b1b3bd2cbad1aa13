import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as yaml from 'yaml';

/**
 * That the CDK construct and the Terraform module make the stack of the package: `same-stack.ts TEMPLATE MADE.json`. The
 * construct gives logical ids a prefix and a hash, and puts values in the place of the two parameters that it takes.
 */
const [original = '', made = ''] = process.argv.slice(2);

interface Template {
  readonly Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  readonly Conditions: Record<string, unknown>;
}

/** Its resources without their code and without what tools write about themselves. */
const stackOf = ({ Resources, Conditions }: Template): Record<string, unknown> => ({
  Conditions,
  ...Object.fromEntries(
    Object.entries(Resources).map(([id, { Properties: { CodeUri: _, ...Properties } = {}, ...resource }]) => {
      const { Metadata: __, ...rest } = resource as typeof resource & { readonly Metadata?: unknown };
      return [id, { ...rest, Properties }];
    }),
  ),
});

const expected = stackOf(
  JSON.parse(
    JSON.stringify(yaml.parse(readFileSync(original, 'utf8')))
      .replaceAll('{"Ref":"TokenIssuer"}', '"https://issuer.example"')
      .replaceAll('{"Ref":"TokenAudience"}', '"https://api.example"'),
  ),
);
const found = stackOf(
  JSON.parse(
    readFileSync(made, 'utf8')
      .replace(/\bGatehouseTemplate(?:Conditions)?([A-Za-z0-9]+?)[0-9A-F]{8}\b/g, '$1')
      .replace(/\{\s*"Ref":\s*"TokenIssuer"\s*\}/g, '"https://issuer.example"')
      .replace(/\{\s*"Ref":\s*"TokenAudience"\s*\}/g, '"https://api.example"'),
  ),
);

const different = Object.keys(expected).filter((id) => !isDeepStrictEqual(found[id], expected[id]));
for (const id of different)
  console.error(
    `${made}: ${id} is not as in the package:\n${JSON.stringify(found[id])}\n${JSON.stringify(expected[id])}`,
  );
if (different.length > 0 || Object.keys(expected).length < 10) process.exitCode = 1;
