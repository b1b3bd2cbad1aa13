import * as z from 'zod/mini';
import { CredentialsError, fieldsOfFault } from '../authorizer/errors.ts';
import type { Actor, Credential, Look, TokenGroups } from '../engine/index.ts';
import { type GatehouseError, invalid } from '../table/errors.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';
import { log } from './log.ts';
import { problem, unavailable } from './problem.ts';

export type MaybePromise<T> = T | Promise<T>;

/**
 * A function of the application that takes a request. TypeScript compares parameters of methods in both
 * directions: a function may ask for a subtype of `R`, such as a framework's own request.
 */
export type OfRequest<R, T, Rest extends readonly unknown[] = []> = {
  of(request: R, ...rest: Rest): T;
}['of'];

/** What functions of the application get: the request that `who` asks for, unless it takes any. */
export type RequestOr<R, Default> = unknown extends R ? Default : R;

/** Who sends a request. */
export interface Caller {
  /**
   * A reference, `user:01J…`. A function finds it among the items of the decision; it answers null where there
   * is nobody, and undefined while an item is not loaded.
   */
  readonly subject: string | ((look: Look) => string | null | undefined);
  /** A record in the table that must be valid, such as that of an API token. */
  readonly credential?: Credential | undefined;
  /** What an issuer asserts: `context.claims` in conditions. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** The groups that a verified token of the subject names; others are a fault. */
  readonly groups?: TokenGroups | undefined;
  /** Who acts for the subject: from a verified token, or the application vouches for it. Others are a fault. */
  readonly actor?: Actor | undefined;
}

/** Finds the caller of a request: a reference such as `user:01J…`, or undefined for nobody (401). */
export type Who<R> = OfRequest<
  R,
  MaybePromise<Caller | string | null | undefined>,
  readonly [http: HttpRequest]
>;

export interface CallerOptions<R> {
  readonly who: Who<R>;
  /** The scheme in `WWW-Authenticate` of a 401. Default: `Bearer`. */
  readonly challenge?: string | undefined;
  /**
   * Called with what was thrown where the answer is 503: by the engine, by `who` or by another function of the
   * application. Default: writes one line of JSON to standard error, with codes and without messages.
   */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** What guards and the permissions endpoint make of a caller and of errors. */
export interface Callers<R> {
  /** @throws CredentialsError if there is no valid credential, or what `who` throws */
  readonly identify: (request: R, http: HttpRequest) => Promise<Caller>;
  /** The answer to an error: 401 to a CredentialsError, 503 to anything else. It never throws. */
  readonly answerTo: (error: unknown) => HttpAnswer;
}

/** @throws GatehouseError `invalid` if `who` is not a function or the challenge is not one of a header */
export function createCallers<R>(options: CallerOptions<R>): Callers<R> {
  const { who, challenge = 'Bearer', onFault = writeFault } = options;
  if (typeof who !== 'function') throw invalidOption('who', 'a function');
  if (!/^[!-~][ -~]*$/.test(challenge)) throw invalidOption('challenge', 'one line of ASCII');

  return {
    identify: async (request, http) => callerIn(await who(request, http)),
    answerTo: (error) => {
      if (error instanceof CredentialsError) return unauthorized(challenge, error);
      try {
        onFault(error);
      } catch {
        // What it reports is answered, whatever becomes of the report.
      }
      return unavailable();
    },
  };
}

const writeFault = (error: unknown): void => log().error('request failed', fieldsOfFault(error));

/** RFC 6750 section 3.1: no error code where the request has no credential at all. */
function unauthorized(challenge: string, { code }: CredentialsError): HttpAnswer {
  const error = challenge === 'Bearer' && code !== 'credentials_missing' ? ' error="invalid_token"' : '';
  return problem(401, {}, { 'WWW-Authenticate': `${challenge}${error}` });
}

function callerIn(found: Caller | string | null | undefined): Caller {
  if (found === undefined || found === null || found === '')
    throw new CredentialsError('credentials_missing');
  if (typeof found === 'string') return { subject: found };
  if (typeof found === 'object' && (typeof found.subject === 'function' || isText(found.subject)))
    return withParts(found);
  throw new TypeError('who answered neither a reference nor a caller');
}

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
/** As many and as long as a token may name (authorizer/credentials/token-groups.ts). */
const GROUPS = z.object({
  issuer: text(512),
  ids: z.array(text(256)).check(z.maxLength(1_000)),
  until: z.number(),
});
const ACTOR = z.object({
  subject: text(1_024),
  mandate: z.optional(text(1_024)),
  hash: z.optional(text(1_024)),
  until: z.optional(z.number()),
  before: z.optional(z.array(text(1_024)).check(z.maxLength(8))),
});
const PARTS = [
  ['groups', GROUPS],
  ['actor', ACTOR],
] as const;
/** Those that were looked at: the ones of a token stay one object. */
const good = new WeakSet<TokenGroups | Actor>();

/** A caller whose groups and actor, if it has any, are such as a token may name. */
function withParts(caller: Caller): Caller {
  for (const [name, schema] of PARTS) {
    const part = caller[name];
    if (part === undefined || good.has(part)) continue;
    const { error } = schema.safeParse(part);
    if (error) {
      const field = [name, ...(error.issues[0]?.path ?? [])].join('.');
      throw invalid(field, `who answered ${field} that no token has`);
    }
    good.add(part);
  }
  return caller;
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const invalidOption = (field: string, what: string): GatehouseError =>
  invalid(field, `${field} must be ${what}`);
