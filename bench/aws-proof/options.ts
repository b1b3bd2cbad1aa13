import { parseArgs } from 'node:util';
import { messageOf } from '../../local/message-of.ts';

/** By the steps that cost something, in their order: what. Before each of them a person is asked. */
export const COSTS: Readonly<Record<string, string>> = {
  deploy: 'three stacks with functions, a table, alarms and a dashboard: cents, if they are removed today',
  smoke: 'about 300 changes for 100 people, and some requests: less than a cent',
  load: '15,000 requests through API Gateway and Lambda, and 300 writes: some cents',
  canary: 'a deployment of some ten minutes, with 5 requests per second: less than a cent',
  restore: 'a restored table: AWS bills its gigabytes, here far less than one',
};
const STEPS = Object.keys(COSTS).join(', ');

/** Wrong options. The message is one line that says what to do. */
export class Misuse extends Error {}

export const HELP = `npm run bench -- aws-proof --account ID --region REGION [--yes STEP ...] [--folder FOLDER]
npm run bench -- aws-proof --account ID --region REGION --remove NAME

Deploys the stack into a sandbox account, tries and measures it, writes one page, and removes all that it made. It asks
before each step that costs: ${STEPS}. It costs money; needs the AWS CLI, and npm run build.

  --account ID     the account; credentials of any other are refused
  --region REGION  where to deploy
  --yes STEP       confirms one step beforehand; may be given several times
  --folder FOLDER  for the page: .aws-proof
  --remove NAME    removes what a proof of that name made, for instance after a crash`;

const OPTIONS = {
  account: { type: 'string', default: '' },
  region: { type: 'string', default: '' },
  folder: { type: 'string', default: '.aws-proof' },
  yes: { type: 'string', multiple: true, default: [] as string[] },
  remove: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Reads the words after `npm run bench -- aws-proof`; undefined where they ask for help.
 *
 * @throws Misuse with the option at fault
 */
export function readProofRequest(words: readonly string[]) {
  const { help, ...request } = parse(words);
  if (help) return undefined;
  const { account, region, yes, remove } = request;
  if (!/^\d{12}$/.test(account)) throw new Misuse('--account is needed: the 12 digits of a sandbox account');
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region)) throw new Misuse('--region is needed, such as eu-central-1');
  if (remove !== undefined && !/^gatehouse-proof-[0-9a-f]{8}$/.test(remove))
    throw new Misuse('--remove takes the name of a proof, such as gatehouse-proof-0123abcd');
  const unknown = yes.find((name) => !Object.hasOwn(COSTS, name));
  if (unknown !== undefined) throw new Misuse(`--yes ${unknown} is no step: it confirms one of ${STEPS}`);
  return request;
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch (error) {
    throw new Misuse(`${messageOf(error).split('. ')[0]}; --help tells the options`);
  }
}
