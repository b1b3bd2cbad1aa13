import { Argument, type Command, Option } from 'commander';
import { mayBeSubjectType } from '../table/entities/scope-types.ts';
import { isBuiltInSubject, isRef, isType } from '../table/identifiers.ts';
import { NOT_AN_INSTANT, readInstant } from '../table/instant.ts';
import { readPermissionName } from '../table/permission-name.ts';
import { UsageError } from './context.ts';

/** Arguments and options of questions, checked while they are parsed. Each parser throws {@link UsageError}. */

/** A parser of texts that a predicate accepts. */
const accepting =
  (name: string, isValid: (text: string) => boolean, problem: string) =>
  (text: string): string => {
    if (isValid(text)) return text;
    throw new UsageError(`${name} ${text} ${problem}`);
  };

export const SUBJECT = 'an email, a username or a name, or user:ID, technical-user:ID, TYPE:ID';
export const isSubjectRef = (text: string): boolean => {
  const type = text.slice(0, text.indexOf(':'));
  return isRef(text) && (isBuiltInSubject(type) || mayBeSubjectType(type));
};
export const SCOPE = 'a name, a path of names or a code, or TYPE:ID such as location:ID';

export const subjectArgument = () => new Argument('<subject>', SUBJECT);
export const subjectOption = () => new Option('--subject <subject>', SUBJECT);

export const permissionArgument = () =>
  new Argument('<permission>', 'a page such as dashboard, or module:action:resource').argParser(
    accepting(
      'PERMISSION',
      (text) => readPermissionName(text) !== undefined,
      'is neither a page such as dashboard nor module:action:resource',
    ),
  );

export const scopeArgument = () => new Argument('<scope>', SCOPE);

/** An option that is a root scope. */
export const tenantOption = (description: string) => new Option('--tenant <tenant>', description);

/** An option for results of one type: `of` says what they are, in the singular. */
export const typeOption = (of: 'scope' | 'subject', example: string) =>
  new Option('--type <type>', `only ${of}s of this type, such as ${example}`).argParser(
    accepting('--type', isType, `is not a ${of} type, such as ${example}`),
  );

/** An option that is an instant; its value is in epoch milliseconds. */
export const instantOption = (flag: string, description: string) =>
  new Option(`${flag} <instant>`, description).argParser((text) => {
    const at = readInstant(text);
    if (at === undefined) throw new UsageError(`${flag} ${text} ${NOT_AN_INSTANT}`);
    return at;
  });

export const atOption = () => instantOption('--at', 'the instant to decide for, ISO 8601 (default: now)');

/** The numbers that are accepted. */
export interface Range {
  /** `whole number`, `number of seconds`. Only a `whole …` has no fraction. */
  readonly kind: string;
  readonly least: number;
  readonly most: number;
}

/** Reads a number. Throws {@link UsageError}. */
export function readNumber(name: string, text: string, { kind, least, most }: Range): number {
  const pattern = kind.startsWith('whole') ? /^\d+$/ : /^\d+(?:\.\d+)?$/;
  const number = Number(text);
  if (pattern.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${name} ${text} is not a ${kind} from ${least} to ${most}`);
}

/** An option whose value is a number. */
export const numberOption = (flag: string, value: string, description: string, range: Range): Option =>
  new Option(`${flag} ${value}`, description).argParser((text) => readNumber(flag, text, range));

const PAGE_LENGTHS: Range = { kind: 'whole number', least: 1, most: 1_000 };

/** The options of every list. */
export const addPageOptions = (command: Command, usual: number): Command =>
  command
    .addOption(
      numberOption('--limit', '<number>', 'how many results at most, 1 to 1000', PAGE_LENGTHS).default(usual),
    )
    .option('--cursor <cursor>', 'continue after the page that printed this cursor');
