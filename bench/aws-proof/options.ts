import { parseArgs } from 'node:util';

/** By the steps that cost something, in their order: what. Before each of them a person is asked. */
export const COSTS = {
  deploy: 'three stacks with functions, a table, alarms and a dashboard: cents, if they are removed today',
  smoke: 'about 300 changes for 100 people, and some requests: less than a cent',
  load: '15,000 requests through API Gateway and Lambda, and 300 writes: some cents',
  canary: 'a deployment of some ten minutes, with 5 requests per second: less than a cent',
  restore: 'a restored table: AWS bills its gigabytes, here far less than one',
} as const satisfies Readonly<Record<string, string>>;
/** Measuring alone costs nothing. */
export type StepName = keyof typeof COSTS | 'measure';
const STEPS = Object.keys(COSTS).join(', ');

const OPTIONS = {
  account: { type: 'string', default: '' },
  region: { type: 'string', default: '' },
  yes: { type: 'string', multiple: true, default: [] as string[] },
  remove: { type: 'string' },
} as const;

/**
 * Reads the words after `npm run bench -- aws-proof` (docs/internals/aws-proof.md).
 *
 * @throws Error with the option at fault
 */
export function readProofRequest(words: readonly string[]) {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  const { account, region, yes, remove } = values;
  if (!/^\d{12}$/.test(account)) throw new Error('--account is needed: the 12 digits of a sandbox account');
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region)) throw new Error('--region is needed, such as eu-central-1');
  if (remove !== undefined && !/^gatehouse-proof-[0-9a-f]{8}$/.test(remove))
    throw new Error('--remove takes the name of a proof, such as gatehouse-proof-0123abcd');
  const unknown = yes.find((name) => !Object.hasOwn(COSTS, name));
  if (unknown !== undefined) throw new Error(`--yes ${unknown} is no step: it confirms one of ${STEPS}`);
  return values;
}
