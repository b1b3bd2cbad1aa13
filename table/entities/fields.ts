import * as z from 'zod';
import { isLongerThan } from '../bytes.ts';
import { GatehouseError } from '../errors.ts';
import {
  ID_FORM,
  isBuiltInSubject,
  isId,
  isName,
  isRef,
  isSafeText,
  isType,
  MAX_ID_LENGTH,
  MAX_REF_LENGTH,
} from '../identifiers.ts';
import { NOT_AN_INSTANT, readEnd, readInstant } from '../instant.ts';
import { normaliseEmail, normalisePhone } from '../normalise.ts';
import { isPermissionPattern, readPermissionName } from '../permission-name.ts';
import {
  MAX_CONDITION_LENGTH,
  MAX_PROPERTIES_BYTES,
  MAX_PROPERTY_LEVELS,
  misfitOfProperties,
  type Properties,
} from '../properties.ts';
import { MAX_ACTIONS, misfitOfActions } from '../resource-type.ts';
import { MAX_CURSOR_LENGTH } from '../size.ts';
import { isExact, isMap, misfitOf, NOT_EXACT } from '../value.ts';
import { isVisibleText } from '../visible-text.ts';
import { isBuiltIn, mayBeScopeType, mayBeSubjectType, notAdded } from './scope-types.ts';

/** Zod schemas of the fields that entities and commands share. Each refuses what must not reach a key. */

/** Why a text is refused that looks like another one. */
export const UNSEEN = 'holds a character that is not seen, such as a zero-width space: write it without';

/** Text that is shown and never part of a key: nothing in it that is not seen, at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => isSafeText(value.replaceAll('#', '')), 'holds control characters')
    .refine(isVisibleText, UNSEEN);

/** A name that a person gives: no `#`, no control characters, not only spaces. */
export const name = z
  .string()
  .min(1)
  .max(128)
  .refine((value) => isSafeText(value) && value.trim() !== '', 'holds # or control characters, or is blank')
  .refine(isVisibleText, UNSEEN);

/** YAML and JSON read an id of digits as a number, and drop its leading zeros. */
const quoted = ({ input }: { readonly input?: unknown }): string | undefined =>
  typeof input === 'number' ? 'must be text: put it in quotes' : undefined;

export const id = z
  .string({ error: quoted })
  .max(MAX_ID_LENGTH)
  .refine(isId, `is not an id (${ID_FORM})`)
  .describe(`id (at most ${MAX_ID_LENGTH} characters)`);

export const pageName = z
  .string()
  .max(128)
  .refine(isName, 'is not a name of letters, digits, dot, dash and underscore')
  .describe('name of letters, digits, dot, dash and underscore, at most 128 characters');

export const permissionName = z
  .string()
  .max(400)
  .refine(
    (value) => readPermissionName(value) !== undefined,
    'is neither a page name nor module:action:resource',
  )
  .describe('page, or permission `module:action:resource`');

export const permissionOrPattern = z
  .string()
  .max(400)
  .refine(
    (value) => readPermissionName(value) !== undefined || isPermissionPattern(value),
    'is neither a permission nor a pattern such as module:*:resource',
  )
  .describe('page, permission `module:action:resource`, or pattern such as `module:*:resource`');

export const effect = z.enum(['ALLOW', 'DENY']);

/** A reference `type:id`; which types are allowed is for the command to say. */
export const ref = z
  .string()
  .max(MAX_REF_LENGTH)
  .refine(isRef, 'is not a reference of the form type:id, such as location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C')
  .describe('reference such as `location:ID`');

/** A user by id, any other subject by reference: what can be granted access. */
export const subject = z
  .string({ error: quoted })
  .max(MAX_REF_LENGTH)
  .refine(
    (value) => isId(value) || (isRef(value) && isReferred(value.slice(0, value.indexOf(':')))),
    'is neither the id of a user nor a reference such as technical-user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  )
  .describe('id of a user, `technical-user:ID`, or `TYPE:ID` of a subject of an added type');

/** Any subject by reference. */
export const subjectRef = z
  .string()
  .max(MAX_REF_LENGTH)
  .refine(
    (value) => isRef(value) && isSubjectType(value.slice(0, value.indexOf(':'))),
    'is no reference to a subject, such as user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  )
  .describe('reference to a subject: `user:ID`, `technical-user:ID`, `agent:ID`');

const isSubjectType = (type: string): boolean => isBuiltInSubject(type) || mayBeSubjectType(type);

/** Types of subjects that are named by reference: users are named by their ids, as ever. */
const isReferred = (type: string): boolean => type === 'technical-user' || mayBeSubjectType(type);

/** Kept in UTC. One rule for commands, manifests, rows and the command line. */
const instantAs = (read: (text: string) => number | undefined) =>
  z
    .string(NOT_AN_INSTANT)
    .max(64)
    .meta({ format: 'date-time' })
    .transform((text, context) => {
      const at = read(text);
      const utc = at === undefined ? '' : new Date(at).toISOString();
      // Beyond the years that four digits hold, dates are no longer in the order of their letters.
      if (utc.length === '9999-12-31T23:59:59.999Z'.length) return utc;
      context.addIssue(at === undefined ? NOT_AN_INSTANT : 'is before the year 0 or after the year 9999');
      return z.NEVER;
    });

/** An instant in ISO 8601 with its offset, or a day: its first instant in UTC. */
export const instant = instantAs(readInstant);

/** An end: an instant, or a day that is meant with all of it, to the first instant of the next one in UTC. */
export const end = instantAs(readEnd);

/** The address of a page or a picture on the web, to be shown. */
export const webAddress = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .refine((value) => isSafeText(value.replaceAll('#', '')), 'holds control characters')
  .describe('http or https URL');

/** A calendar day in ISO 8601. */
export const date = z.iso.date({ error: 'is not an ISO 8601 date such as 2026-01-31' });

/** A time zone by its name in the IANA database. */
export const timezone = z
  .string()
  .max(64)
  .refine(isTimezone, 'is not a time zone such as Europe/Berlin')
  .describe('time zone such as `Europe/Berlin`');

/** Names as most are written: to make a format for each takes a tenth of a millisecond, of every user. */
let usual: ReadonlySet<string> | undefined;

function isTimezone(value: string): boolean {
  usual ??= new Set(Intl.supportedValuesOf('timeZone'));
  if (usual.has(value)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** A number within bounds that the table keeps exactly. */
export const number = (min: number, max: number) => z.number().min(min).max(max).refine(isExact, NOT_EXACT);

/** A length, an area. */
export const measure = number(0, 1e12);

const MAX_MAP_BYTES = 32_768;
const MAX_MAP_LEVELS = 8;

/** Free structure that is kept as it is. */
export const map = z
  .unknown()
  .meta({ type: 'object' })
  .describe(`map of JSON values, at most ${MAX_MAP_BYTES} bytes as JSON and ${MAX_MAP_LEVELS} levels deep`)
  .transform((value, context): Readonly<Record<string, unknown>> => {
    if (!isMap(value)) context.addIssue('must be a map');
    else {
      const misfit = misfitOf(value, MAX_MAP_LEVELS);
      const text = misfit ? '' : JSON.stringify(value);
      if (misfit) context.addIssue({ code: 'custom', path: [...misfit.path], message: misfit.message });
      else if (isLongerThan(text, MAX_MAP_BYTES))
        context.addIssue(`is larger than ${MAX_MAP_BYTES} bytes as JSON`);
      // A copy: planning takes time, in which the caller may change what was given.
      else return JSON.parse(text);
    }
    return z.NEVER;
  });

/** Names of properties that may be passed with a question. */
const MAX_PASSED = 64;

/**
 * Properties that are passed for one decision, and kept nowhere. A value that a map of the table cannot hold is left out:
 * conditions take what does not fit for missing, and so do budgets.
 */
export const passed = z
  .unknown()
  .meta({ type: 'object' })
  .describe(
    `map of at most ${MAX_PASSED} properties of JSON values, each of at most ${MAX_MAP_BYTES} bytes as JSON`,
  )
  .transform((value, context): Readonly<Record<string, unknown>> => {
    const entries = isMap(value) ? Object.entries(value) : undefined;
    if (!entries) context.addIssue('must be a map');
    else if (entries.length > MAX_PASSED) context.addIssue(`has more than ${MAX_PASSED} properties`);
    else return Object.fromEntries(entries.filter(([, each]) => isPassable(each)));
    return z.NEVER;
  });

const isPassable = (value: unknown): boolean =>
  misfitOf(value, MAX_MAP_LEVELS) === undefined && !isLongerThan(JSON.stringify(value) ?? '', MAX_MAP_BYTES);

/** The stored properties of a subject or a scope, over which conditions are evaluated. */
export const properties = z
  .unknown()
  .meta({ type: 'object' })
  .describe(
    `map of properties: text, \`true\` or \`false\`, numbers, lists of text, and maps of these, at most ${MAX_PROPERTY_LEVELS} levels deep and ${MAX_PROPERTIES_BYTES} bytes as JSON`,
  )
  .transform((value, context): Properties => {
    const misfit = misfitOfProperties(value);
    if (!misfit) return JSON.parse(JSON.stringify(value));
    context.addIssue({ code: 'custom', path: [...misfit.path], message: misfit.message });
    return z.NEVER;
  });

/** The permissions of the actions of a resource type. */
export const actions = z
  .unknown()
  .meta({ type: 'object' })
  .describe(`map from at most ${MAX_ACTIONS} names of actions to permissions`)
  .transform((value, context): Readonly<Record<string, string>> => {
    const misfit = misfitOfActions(value);
    if (!misfit) return JSON.parse(JSON.stringify(value));
    context.addIssue({ code: 'custom', path: [...misfit.path], message: misfit.message });
    return z.NEVER;
  });

/** The name of a type that an operator adds. */
export const addedType = (mayBe: (name: string) => boolean) =>
  z
    .string()
    .max(32)
    .refine(
      mayBe,
      'is no type that can be added (lower-case words with dashes, not one that has a meaning already)',
    );

/** A condition: an expression in CEL. Line breaks are white space to it. */
export const condition = z
  .string()
  .min(1)
  .max(MAX_CONDITION_LENGTH)
  .refine((value) => isSafeText(value.replaceAll(/[#\n\t]/g, ' ')), 'holds control characters')
  .refine(isVisibleText, UNSEEN)
  .describe(`expression in CEL, at most ${MAX_CONDITION_LENGTH} characters`);

/** An address of the internet protocol, version 4 or 6. */
export const ipAddress = z.union([z.ipv4(), z.ipv6()], { error: 'is not an IP address' });

/** A scope type that comes with the table or may be added. */
export const scopeType = z
  .string()
  .max(32)
  .refine(mayBeScopeType, 'is no scope type')
  .describe('scope type such as `location`');
/** The type of a scope of an added type, in the input of `scope.VERB`. */
export const addedScopeType = (verb: string) =>
  z
    .string()
    .max(32)
    .refine((type) => mayBeScopeType(type) && !isBuiltIn(type), {
      error: ({ input }) => notAdded(String(input), verb),
    })
    .describe('added scope type such as `ward`');
/** The type of a subject of an added type, in the input of `subject.VERB`. */
export const addedSubjectType = (verb: string) =>
  z
    .string()
    .max(32)
    .refine(mayBeSubjectType, { error: ({ input }) => notAdded(String(input), verb) })
    .describe('added subject type such as `device`');
/** A subject type that may be added. */
export const subjectType = z
  .string()
  .max(32)
  .refine(mayBeSubjectType, 'is no subject type that can be added')
  .describe('subject type such as `device`');
/** The type of an entity, as in references. */
export const entityType = z
  .string()
  .max(32)
  .refine(isType, 'is no type of entity')
  .describe('type of entity such as `user`');

/** Entries of a page. */
export const limit = z.int().min(1).max(1_000);
/** Of a command that creates an edge. */
export const ifExists = z
  .enum(['keep'])
  .optional()
  .describe(
    '`keep`: an equal one that is there is success, and nothing is written; another one is a conflict',
  );
export const cursor = z.string().min(1).max(MAX_CURSOR_LENGTH).describe('`cursor` of the page before');

type Reader = (value: string, field: string) => unknown;

/** Runs a reader that throws our `invalid`; its message becomes the issue. */
function attempt(read: Reader, value: string): { result: unknown } | { problem: string } {
  try {
    return { result: read(value, '') };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return { problem: error.message.trim() };
  }
}

/** A value brought to its canonical form by one of the functions of normalise.ts. */
export const normalised = (normalise: (value: string, field: string) => string) =>
  z
    .string()
    .max(1_024)
    // Asked before: to normalise may be to drop white space, a line break too. Whether a `#` has a place is known there.
    .refine((value) => isSafeText(value.replaceAll('#', '')), 'holds control characters')
    .refine(isVisibleText, UNSEEN)
    .transform((value, context) => {
      const outcome = attempt(normalise, value);
      if ('result' in outcome) return outcome.result as string;
      context.addIssue(outcome.problem);
      return z.NEVER;
    });

/** Text that must be readable by `read`; kept as it was written. */
export const parsed = (max: number, read: Reader) =>
  z
    .string()
    .min(1)
    .max(max)
    .superRefine((value, context) => {
      const outcome = attempt(read, value);
      if ('problem' in outcome) context.addIssue(outcome.problem);
    });

/** An address or number to reach somebody at: canonical, but not unique. */
export const contactEmail = normalised(normaliseEmail);
export const contactPhone = normalised(normalisePhone);
