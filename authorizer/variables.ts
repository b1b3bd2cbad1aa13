import * as z from 'zod/mini';
import { type GatehouseError, invalid } from '../table/errors.ts';
import { isType } from '../table/identifiers.ts';
import { isObject, parseJson } from '../table/json.ts';
import { LOG_LEVELS } from '../table/log.ts';
import { isLoopback } from '../table/loopback.ts';

// Schemas of environment variables, shared by configuration.ts and credentials/configuration.ts.

/**
 * Where the subject comes from: a claim that contains its id; or a verified email, or issuer and `sub` (or another claim in
 * its place), that are looked up.
 */
export type SubjectSource =
  | { readonly kind: 'claim'; readonly name: string }
  | { readonly kind: 'email' }
  | { readonly kind: 'identity'; readonly name: string };

function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export const text = (problem: string, isRight: (value: string) => boolean) =>
  z.string({ error: 'is missing' }).check(z.refine(isRight, { error: problem }));

/** A type of subjects, as `agent`. */
export const subjectType = text('is not a type of subjects', isType);

/** @param problems each with the name of its variable first, and without values */
export const wrongConfiguration = (variable: string, ...problems: readonly string[]): GatehouseError =>
  invalid(variable, `configuration: ${problems.join('; ')}`);

/** The error of a strict object schema. */
export const objectError = ({ code }: { readonly code?: string | undefined }): string =>
  code === 'unrecognized_keys' ? 'has an unknown field' : 'is not an object';

const listOf = (value: string): string[] => value.split(',').map((member) => member.trim());

export const list = (problem: string, isMember: (value: string) => boolean) =>
  z.pipe(
    text(problem, (value) => listOf(value).every(isMember)),
    z.transform(listOf),
  );

export const wholeNumber = (min: number, max: number, fallback: number) =>
  z.prefault(
    z.pipe(
      text(
        `is not a whole number from ${min} to ${max}`,
        (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
      ),
      z.transform(Number),
    ),
    `${fallback}`,
  );

export const url = text(
  'is not an https URL without credentials, query and fragment (http only for this machine)',
  isTrustedUrl,
);

/** A number from 0 to 1. */
export const share = z.pipe(
  text('is not a number from 0 to 1', (value) => /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(value)),
  z.transform(Number),
);

export const logLevel = z.prefault(
  z.enum(LOG_LEVELS, { error: `is none of ${LOG_LEVELS.join(', ')}` }),
  'INFO',
);

/**
 * Format of answers to HTTP API 2.0; REST APIs accept policies only. Must match the API's
 * `EnableSimpleResponses`.
 */
export type HttpAnswer = 'simple' | 'policy';

export const httpAnswer = z.prefault(
  z.enum(['simple', 'policy'], { error: 'is neither simple nor policy' }),
  'simple',
);

const SUBJECT_FROM = /^(?:(email|identity)|(claim|identity):([!-~]{1,128}))$/;

export const subjectFrom = z.pipe(
  text('is neither email, identity, identity:<name> nor claim:<name>', (value) => SUBJECT_FROM.test(value)),
  z.transform((value): SubjectSource => {
    const [, alone, kind = alone, name = 'sub'] = SUBJECT_FROM.exec(value) ?? [];
    return kind === 'email' ? { kind } : { kind: kind === 'identity' ? kind : 'claim', name };
  }),
);

const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
/** The characters of API mapping keys (AG API_ApiMapping), in segments. */
const BASE_PATH = /^(?:[\w$.+!*'()-]+(?:\/[\w$.+!*'()-]+)*)?$/;
/** All environment variables of a Lambda function together are limited to 4 KB (Lambda quotas). */
const MAX_BASE_PATHS = 4_096;
const BASE_PATHS =
  'is not a JSON object of domains, in lower case, with their base paths, without slashes around';

const areBasePaths = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) &&
  Object.entries(value).every(
    ([domain, path]) => DOMAIN.test(domain) && typeof path === 'string' && BASE_PATH.test(path),
  );

/** The variable BASE_PATHS: what stands before the path, by custom domain: `{"api.example.com": "orders"}`. */
export const basePaths = z.pipe(
  text(BASE_PATHS, (value) => value.length <= MAX_BASE_PATHS && areBasePaths(parseJson(value))),
  z.transform((value) => new Map(Object.entries(parseJson(value) as Readonly<Record<string, string>>))),
);
