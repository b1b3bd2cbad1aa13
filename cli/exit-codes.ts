/** The exit codes of every subcommand. */
export const OK = 0;
/** Refused, or a check found something. */
export const REFUSED = 1;
/** Wrong usage, or a failure of the table, the network or the program. */
export const USAGE = 2;

/** What the exit codes of some subcommands mean; without `1` they never end with it. */
export interface ExitCodes {
  readonly of: readonly string[];
  readonly 0: string;
  readonly 1?: string;
  readonly 2: string;
}

// It holds for every kind of name: 1 is the answer no, or a finding, and of what does not exist there is none.
const WRONG = 'wrong usage, such as a name that nothing has';
/** What 2 means where nothing is said. */
export const FAULT = `${WRONG}, or a failure`;
const NOT_AGREED = 'nothing was done: --yes is missing, or the answer was not yes';
const REFUSAL = `${WRONG}, refused by provisioning, or a failure`;

/** Of every subcommand: for its help, for docs/cli.md, and for the tests, which hold the code to it. */
export const EXIT_CODES: readonly ExitCodes[] = [
  { of: ['check'], 0: 'allowed', 1: 'refused, or --at: not known, or --verify: the log differs', 2: FAULT },
  { of: ['explain'], 0: 'allowed', 1: 'refused, or --at: not known', 2: FAULT },
  {
    of: ['who', 'menu', 'where'],
    0: 'the list, which may be empty',
    1: '--at: all or some of it is not known',
    2: FAULT,
  },
  { of: ['narrow', 'usage', 'log'], 0: 'the list, which may be empty', 2: FAULT },
  { of: ['matrix'], 0: 'the matrix was written', 2: FAULT },
  {
    of: ['prove'],
    0: 'all holds',
    1: 'something does not hold, or it cannot be told',
    2: FAULT,
  },
  { of: ['test'], 0: 'all tests passed', 1: 'a test failed', 2: FAULT },
  {
    of: ['types'],
    0: 'the type was written, or the file is up to date',
    1: '--check: the file is not up to date',
    2: FAULT,
  },
  { of: ['route add', 'route import', 'route list'], 0: 'done', 2: REFUSAL },
  { of: ['route remove'], 0: 'done', 1: NOT_AGREED, 2: REFUSAL },
  {
    of: ['route test'],
    0: 'a route matches, and --subject is allowed',
    1: 'no route matches, or --subject is refused',
    2: FAULT,
  },
  { of: ['route gaps'], 0: 'no gaps', 1: 'gaps', 2: FAULT },
  {
    of: ['route check'],
    0: 'every route depends only on inputs in the cache key, or the cache key is not known; each scope that is written out exists',
    1: 'a route depends on an input outside of the cache key, or its scope does not exist',
    2: FAULT,
  },
  {
    of: ['rows check'],
    0: 'no findings',
    1: 'findings: the columns of a row disagree with the tree, or its scope is closed or gone',
    2: FAULT,
  },
  { of: ['command'], 0: 'done', 1: 'refused, or not confirmed: nothing was written', 2: FAULT },
  {
    of: ['plan'],
    0: 'the table matches the manifest',
    1: 'there are changes to apply, or a plan is out of date',
    2: REFUSAL,
  },
  {
    of: ['apply'],
    0: 'the table matches the manifest',
    1: `${NOT_AGREED}, a plan is out of date, or another apply is under way; or others changed the table meanwhile, and something is left`,
    2: `${REFUSAL}; the message says how much was done`,
  },
  { of: ['export'], 0: 'the manifest was written', 2: FAULT },
  {
    of: ['import'],
    0: 'the manifest says all that the files do',
    1: 'something was left out, or is refused here and allowed there; the manifest was written',
    2: FAULT,
  },
  {
    of: ['onboard'],
    0: 'the tenant was created',
    2: `${REFUSAL}; nothing was written, or it is not known: repeat it with --operation`,
  },
  {
    of: ['load'],
    0: 'all rows were loaded',
    1: 'some rows were refused and are in the file of refused rows; the others were loaded',
    2: 'wrong usage, and nothing was sent; or a failure: nothing is lost, run it again',
  },
  {
    of: ['revoke-user', 'suspend-tenant', 'revoke-session', 'revoke-token'],
    0: 'revoked; the answer says until when caches may still allow',
    1: NOT_AGREED,
    2: `${REFUSAL}: read the message, then run it again`,
  },
  {
    of: ['migrate'],
    0: 'all items are of this form, and none is to be split',
    1: 'items of an older or a newer form are left, or some to be split',
    2: FAULT,
  },
  { of: ['verify'], 0: 'no findings, or all were repaired', 1: 'findings', 2: FAULT },
  { of: ['doctor'], 0: 'nothing failed; there may be warnings', 1: 'a check failed', 2: FAULT },
  {
    of: ['replay'],
    0: 'all that was taken away since is taken away again, and no record is missing',
    1: 'something is to be done by hand, was refused, or records are missing or cannot be counted',
    2: FAULT,
  },
  { of: ['serve', 'scim serve'], 0: 'stopped, after all requests in flight were answered', 2: FAULT },
  {
    of: ['scim status'],
    0: 'every connection is well',
    1: 'a credential ends within 30 days or is missing, or nothing was sent for 24 hours',
    2: FAULT,
  },
  {
    of: ['scim preview'],
    0: 'every request would be carried out',
    1: 'some requests would be refused',
    2: FAULT,
  },
  {
    of: ['init'],
    0: 'the files were written',
    1: 'nothing was written: the files exist already, or nobody answered',
    2: FAULT,
  },
  { of: ['dev', 'explore'], 0: 'stopped', 2: FAULT },
  { of: ['completion', 'help'], 0: 'done', 2: 'wrong usage' },
];

/** The exit codes of a subcommand with their meanings. */
export function exitCodesOf(name: string): readonly (readonly [number, string])[] {
  const codes = EXIT_CODES.find(({ of }) => of.includes(name));
  return ([0, 1, 2] as const).flatMap((code) => {
    const meaning = codes?.[code];
    return meaning === undefined ? [] : [[code, meaning] as const];
  });
}
