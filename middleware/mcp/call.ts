import { CredentialsError } from '../../authorizer/errors.ts';
import type { Caller } from '../caller.ts';
import type { Refusal } from './refusal.ts';
import type { MessageExtra } from './sdk.ts';

/** One request of a client, from its message to its answer. */
export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** @throws CredentialsError if nobody calls */
  readonly caller: () => Promise<Caller>;
  /** Whether it was decided, and allowed. */
  isAllowed: boolean;
  /** Why its handler did not run. */
  refusal: Refusal | undefined;
}

/** By the `authInfo` that handlers get: each request has its own. */
const calls = new WeakMap<object, Call>();

export const keepCall = (authInfo: object, call: Call): void => void calls.set(authInfo, call);

/** The call that a handler runs for, by what the SDK hands to it: `authInfo` itself, or below `http`. */
export function callOf(extra: unknown): Call | undefined {
  const { authInfo, http } = (extra ?? {}) as MessageExtra & { readonly http?: MessageExtra };
  return calls.get(authInfo ?? http?.authInfo ?? {});
}

/** Callers that an endpoint has verified, by the `authInfo` that it hands to the SDK. */
const callers = new WeakMap<object, Caller>();

export const keepCaller = (authInfo: object, caller: Caller): void => void callers.set(authInfo, caller);

/** @throws CredentialsError if no endpoint verified one */
export function verifiedCaller({ authInfo }: MessageExtra): Caller {
  const found = callers.get(authInfo ?? {});
  if (found === undefined) throw new CredentialsError('credentials_missing');
  return found;
}
