import { Argument, Option } from 'commander';
import { isType } from '../table/identifiers.ts';
import { NOT_AN_INSTANT, readInstant } from '../table/instant.ts';
import { readPermissionName } from '../table/permission-name.ts';
import { choiceOf } from '../table/similar-words.ts';
import { UsageError } from './context.ts';

/** Makes the option of a flag such as `--at`. Its value is a `T`. */
export interface OptionKind<T> {
  (flag: string): Option;
  readonly of?: T;
}

/** Options by the names of their values: `dryRun` is `--dry-run`. */
export type Options = Readonly<Record<string, (flag: string) => Option>>;
export type ValuesOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends OptionKind<infer T> ? T : never;
};

/** An argument whose value is a `T`. */
export type Positional<T> = Argument & { readonly of?: T };

/** `<file>` is a text, `[folder]` may be missing, `<files...>` are several. */
type ValueOf<U extends string> = U extends `${string}...${string}`
  ? readonly string[]
  : U extends `[${string}`
    ? string | undefined
    : string;

export const argument = <const U extends string>(usage: U, description: string): Positional<ValueOf<U>> =>
  new Argument(usage, description);

/** The kinds of options and arguments. A value is checked while it is parsed: each parser throws {@link UsageError}. */

/** One that is there or not. */
export const flag =
  (description: string): OptionKind<boolean | undefined> =>
  (name) =>
    new Option(name, description);

/** A flag that turns off what is usual: `log` is `--no-log`. */
export const off =
  (description: string): OptionKind<boolean> =>
  (name) =>
    new Option(name.replace(/^--/, '--no-'), description);

export const text =
  (value: string, description: string): OptionKind<string | undefined> =>
  (name) =>
    new Option(`${name} ${value}`, description);

export const required =
  <T>(kind: OptionKind<T>): OptionKind<Exclude<T, undefined>> =>
  (name) =>
    kind(name).makeOptionMandatory();

/** @param shown the default in the help, where it is not the value itself */
export const withDefault =
  <T>(kind: OptionKind<T>, value: Exclude<T, undefined>, shown?: string): OptionKind<Exclude<T, undefined>> =>
  (name) =>
    kind(name).default(value, shown);

/** One that is read by `parse`, which gets the flag for its messages, and what was given before. */
export const parsed =
  <T>(
    value: string,
    description: string,
    parse: (text: string, name: string, before: T | undefined) => T,
  ): OptionKind<T | undefined> =>
  (name) =>
    new Option(`${name} ${value}`, description).argParser((given: string, before: T | undefined) =>
      parse(given, name, before),
    );

/** One that may be given several times. */
export const repeated = (value: string, description: string): OptionKind<readonly string[]> =>
  withDefault(
    parsed<readonly string[]>(value, description, (given, _, before = []) => [...before, given]),
    [],
  );

/** One of some texts, in any case. */
export const choice =
  <const T extends string>(
    value: string,
    description: string,
    choices: readonly T[],
  ): OptionKind<T | undefined> =>
  (name) =>
    withChoices(new Option(`${name} ${value}`, description), choices, name);

export const choiceArgument = <const T extends string>(
  usage: string,
  description: string,
  choices: readonly T[],
): Positional<T> => withChoices(new Argument(usage, description), choices, usage);

function withChoices<T extends Argument | Option>(of: T, choices: readonly string[], label: string): T {
  of.choices(choices);
  of.argParser((given) => {
    const meant = choiceOf(given, choices);
    if (meant === undefined) throw new UsageError(`${label} ${given} is not one of ${choices.join(', ')}`);
    return meant;
  });
  return of;
}

/** The numbers that are accepted. */
interface Range {
  /** `whole number`, `number of seconds`. Only a `whole …` has no fraction. */
  readonly kind: string;
  readonly least: number;
  readonly most: number;
}

/** Reads a number. Throws {@link UsageError}. */
export function readNumber(name: string, given: string, { kind, least, most }: Range): number {
  const pattern = kind.startsWith('whole') ? /^\d+$/ : /^\d+(?:\.\d+)?$/;
  const number = Number(given);
  if (pattern.test(given) && number >= least && number <= most) return number;
  throw new UsageError(`${name} ${given} is not a ${kind} from ${least} to ${most}`);
}

export const number = (value: string, description: string, range: Range): OptionKind<number | undefined> =>
  parsed(value, description, (given, name) => readNumber(name, given, range));

export const whole = (description: string, least: number, most: number): OptionKind<number | undefined> =>
  number('<number>', description, { kind: 'whole number', least, most });

export const duration = (description: string, least: number, most: number): OptionKind<number | undefined> =>
  number('<seconds>', description, { kind: 'number of seconds', least, most });

export const port = (description: string) => whole(description, 0, 65_535);

/** An instant; its value is in epoch milliseconds. */
export const instant = (description: string): OptionKind<number | undefined> =>
  parsed('<instant>', description, (given, name) => {
    const at = readInstant(given);
    if (at === undefined) throw new UsageError(`${name} ${given} ${NOT_AN_INSTANT}`);
    return at;
  });

/** A type of results: `of` says what they are, in the singular. */
export const typeOf = (of: 'scope' | 'subject', example: string): OptionKind<string | undefined> =>
  parsed('<type>', `only ${of}s of this type, such as ${example}`, (given, name) => {
    if (isType(given)) return given;
    throw new UsageError(`${name} ${given} is not a ${of} type, such as ${example}`);
  });

export const SUBJECT = 'an email, a username or a name, or user:ID, technical-user:ID, TYPE:ID';
export const SCOPE = 'a name, a path of names or a code, or TYPE:ID such as location:ID';

export const subjectArgument = argument('<subject>', SUBJECT);
export const scopeArgument = argument('<scope>', SCOPE);
export const permissionArgument: Positional<string> = new Argument(
  '<permission>',
  'a page such as dashboard, or module:action:resource',
).argParser((given) => {
  if (readPermissionName(given)) return given;
  throw new UsageError(`PERMISSION ${given} is neither a page such as dashboard nor module:action:resource`);
});

/** The options that every subcommand has; they may stand before it too. */
export const GLOBAL = {
  table: text('<name>', 'the DynamoDB table (or TABLE_NAME)'),
  endpoint: text('<url>', 'the endpoint of DynamoDB, for a local table (or DYNAMODB_ENDPOINT)'),
  region: text('<region>', 'the AWS region (or AWS_REGION)'),
  function: text('<name>', 'send commands to this provisioning function, instead of --table'),
  lambdaEndpoint: text('<url>', 'the endpoint of Lambda, for a local function'),
  token: text('<token>', 'your token, for a function that verifies operators (better: GATEHOUSE_TOKEN)'),
  json: flag('print JSON, for errors too'),
};
export type GlobalOptions = Partial<ValuesOf<typeof GLOBAL>>;

/** Throws {@link UsageError} for options that name both the table and a function in front of one. */
export function assertOneConnection(options: GlobalOptions): void {
  if (options.function === undefined) {
    if (options.lambdaEndpoint !== undefined)
      throw new UsageError('--lambda-endpoint is of a function: give --function NAME too');
    if (options.token !== undefined)
      throw new UsageError('--token is for a function: give --function NAME too');
    return;
  }
  if (options.table !== undefined)
    throw new UsageError('--table and --function exclude each other: the function has its own table');
  if (options.endpoint !== undefined)
    throw new UsageError('--endpoint is of a table: with --function, give --lambda-endpoint');
}

/** The options of every list. */
export const pageOptions = (usual: number) => ({
  limit: withDefault(whole('how many results at most, 1 to 1000', 1, 1_000), usual),
  cursor: text('<cursor>', 'continue after the page that printed this cursor'),
});

export const deadline = withDefault(
  duration('how long to retry when DynamoDB throttles or does not answer', 0, 3_600),
  60,
);

/** The options of subcommands that write. */
export const WRITING = {
  actor: text('<name>', 'who makes the change, for the audit log (or USER)'),
  deadline,
};
export type WriteOptions = Partial<ValuesOf<typeof WRITING>> & GlobalOptions;

export const YES = flag('do not ask before access or data is taken away; required without a terminal');
export const DRY_RUN = flag('check whether it would succeed; write nothing');
export const OPERATION = text(
  '<id>',
  'an id of this operation: a repetition with the same id changes nothing more (default: a new id)',
);
