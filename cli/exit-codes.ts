/** The exit codes of every subcommand. */
export const OK = 0;
/** Refused, or a check found something. */
export const REFUSED = 1;
/** A usage error, or a fault. */
export const USAGE = 2;

/** What the exit codes of some subcommands mean; without `1` they never end with it. */
export interface ExitCodes {
  readonly of: readonly string[];
  readonly 0: string;
  readonly 1?: string;
  readonly 2: string;
}

const FAULT = 'usage error or fault';
const NOT_AGREED = 'nothing was done: --yes is missing, or the answer was not yes';
const REFUSAL = 'usage error, refusal or fault';

/** Of every subcommand: for its help, for docs/cli.md, and for the tests, which hold the code to it. */
export const EXIT_CODES: readonly ExitCodes[] = [
  { of: ['check', 'explain'], 0: 'allowed', 1: 'refused', 2: FAULT },
  { of: ['who', 'menu', 'where', 'log'], 0: 'the list, which may be empty', 2: FAULT },
  { of: ['test'], 0: 'all tests passed', 1: 'a test failed', 2: FAULT },
  { of: ['route add', 'route import', 'route list'], 0: 'done', 2: REFUSAL },
  { of: ['route remove'], 0: 'done', 1: NOT_AGREED, 2: REFUSAL },
  {
    of: ['route test'],
    0: 'a route matches, and allows --subject',
    1: 'no route matches, or it refuses',
    2: FAULT,
  },
  { of: ['route gaps'], 0: 'no gaps', 1: 'gaps', 2: FAULT },
  {
    of: ['route check'],
    0: "nothing is outside of the cache's key, or the key is not known",
    1: "something is outside of the cache's key",
    2: FAULT,
  },
  { of: ['command'], 0: 'done', 1: 'refused, or not agreed to: nothing was written', 2: FAULT },
  {
    of: ['plan'],
    0: 'the table has what the file says',
    1: 'there is something to do, or a plan is out of date',
    2: REFUSAL,
  },
  {
    of: ['apply'],
    0: 'the table has what the file says',
    1: `${NOT_AGREED}, or a plan is out of date`,
    2: `${REFUSAL}; the message says how much was done`,
  },
  { of: ['export'], 0: 'the manifest is written', 2: FAULT },
  {
    of: ['onboard'],
    0: 'all of it is there',
    2: `${REFUSAL}: nothing of it is there (after a fault perhaps all: repeat it with --operation)`,
  },
  {
    of: ['load'],
    0: 'all rows are loaded',
    1: 'some rows were refused: see the file of refused rows; the others are loaded',
    2: 'usage error, and nothing was sent; or a fault: nothing is lost, run it again',
  },
  {
    of: ['revoke-user', 'suspend-tenant', 'revoke-session', 'revoke-token'],
    0: 'it is revoked; the answer says until when caches may still allow',
    1: NOT_AGREED,
    2: `${REFUSAL}: read the message, and send it again`,
  },
  { of: ['verify'], 0: 'no findings, or all are repaired', 1: 'findings', 2: FAULT },
  { of: ['serve'], 0: 'it was stopped, and all requests in flight were answered', 2: FAULT },
  {
    of: ['init'],
    0: 'the files are written',
    1: 'nothing was written: the files are there already, or nobody answered',
    2: FAULT,
  },
  { of: ['dev'], 0: 'it was stopped', 2: FAULT },
  { of: ['completion'], 0: 'done', 2: 'usage error' },
];

/** The exit codes of a subcommand, as its help shows them. */
export function exitCodesText(name: string): string {
  const codes = EXIT_CODES.find(({ of }) => of.includes(name));
  if (!codes) return '';
  const lines = ([0, 1, 2] as const).flatMap((code) =>
    codes[code] === undefined ? [] : [`  ${code}  ${codes[code]}`],
  );
  return `\nExit codes:\n${lines.join('\n')}`;
}
