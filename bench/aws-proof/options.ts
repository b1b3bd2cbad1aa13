import { parseArgs } from 'node:util';
import { messageOf } from '../../local/message-of.ts';

/** The steps that cost something, in their order. */
export const COSTLY = ['deploy', 'smoke', 'load', 'canary', 'restore'] as const;

export interface ProofRequest {
  readonly account: string;
  readonly region: string;
  /** Where the record of what was made, and the page, are written. */
  readonly folder: string;
  /** Steps that were confirmed beforehand. */
  readonly yes: readonly string[];
  /** The record of a proof, to remove what it names; without it, everything is proven. */
  readonly remove?: string | undefined;
}

/** Wrong options. The message is one line that says what to do. */
export class Misuse extends Error {}

export const HELP = `npm run bench -- aws-proof --account ID --region REGION [--yes STEP ...] [--folder FOLDER]
npm run bench -- aws-proof --account ID --remove FILE

Deploys the stack into a sandbox account, tries and measures it, writes one page, and removes all that it made. It asks
before each step that costs: ${COSTLY.join(', ')}. It costs money; needs the AWS CLI, and npm run build.

  --account ID     the account; credentials of any other are refused
  --region REGION  where to deploy
  --yes STEP       confirms one step beforehand; may be given several times
  --folder FOLDER  for the page and the record of what was made: .aws-proof
  --remove FILE    removes what that record names, for instance after a crash`;

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
export function readProofRequest(words: readonly string[]): ProofRequest | undefined {
  const { help, ...request } = parse(words);
  if (help) return undefined;
  const { account, region, yes, remove } = request;
  if (!/^\d{12}$/.test(account)) throw new Misuse('--account is needed: the 12 digits of a sandbox account');
  if (remove === undefined && !/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region))
    throw new Misuse('--region is needed, such as eu-central-1');
  const unknown = yes.find((name) => !(COSTLY as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new Misuse(`--yes ${unknown} is no step: it confirms one of ${COSTLY.join(', ')}`);
  return request;
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch (error) {
    throw new Misuse(`${messageOf(error).split('. ')[0]}; --help tells the options`);
  }
}
