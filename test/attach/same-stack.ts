import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as yaml from 'yaml';

/**
 * That the CDK construct and the Terraform module deploy the template of the package: `same-stack.ts TEMPLATE MADE.json`.
 * They put the place of the code into it; the construct also leaves out the names of the functions.
 */
const [original = '', made = ''] = process.argv.slice(2);

interface Template {
  readonly Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  readonly Conditions: Record<string, unknown>;
}

/** Its resources and conditions, without what may differ. */
const stackOf = ({ Resources, Conditions }: Template): Record<string, unknown> => ({
  Conditions,
  ...Object.fromEntries(
    Object.entries(Resources).map(([id, { Properties = {}, ...rest }]) => {
      const { CodeUri, FunctionName, ...others } = Properties;
      return [id, { ...rest, Properties: others }];
    }),
  ),
});

const expected = stackOf(yaml.parse(readFileSync(original, 'utf8')));
const found = stackOf(JSON.parse(readFileSync(made, 'utf8')));

const different = Object.keys(expected).filter((id) => !isDeepStrictEqual(found[id], expected[id]));
for (const id of different)
  console.error(
    `${made}: ${id} is not as in the package:\n${JSON.stringify(found[id])}\n${JSON.stringify(expected[id])}`,
  );
if (different.length > 0 || Object.keys(expected).length < 10) process.exitCode = 1;
