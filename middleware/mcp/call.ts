import { CredentialsError } from '../../authorizer/errors.ts';
import type { Caller } from '../caller.ts';
import type { AllowedCalls, AskedCall } from './allowed-calls.ts';
import type { Refusal } from './refusal.ts';
import type { MessageExtra } from './sdk.ts';

/** One request of a client, from its message to its answer. */
export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** @throws CredentialsError if nobody calls */
  readonly caller: () => Promise<Caller>;
  /** What it was allowed on; undefined where it was not, or not yet. */
  allowed: AskedCall | undefined;
  /** Why its handler did not run. */
  refusal: Refusal | undefined;
  /** Hears what it is allowed on. */
  readonly onAllowed: (asked: AskedCall) => void;
}

/** By the `authInfo` that handlers get: each request has its own. */
const calls = new WeakMap<object, Call>();

export const keepCall = (authInfo: object, call: Call): void => void calls.set(authInfo, call);

/** The call that a handler runs for, by what the SDK hands to it: `authInfo` itself, or below `http`. */
export function callOf(extra: unknown): Call | undefined {
  const { authInfo, http } = (extra ?? {}) as MessageExtra & { readonly http?: MessageExtra };
  return calls.get(authInfo ?? http?.authInfo ?? {});
}

/** What an endpoint knows of a request. */
interface Verified {
  readonly caller: Caller;
  /** Of the session that it belongs to. */
  readonly allowedCalls: AllowedCalls;
}

/** By the `authInfo` that an endpoint hands to the SDK. */
const verified = new WeakMap<object, Verified>();

export const keepVerified = (authInfo: object, request: Verified): void =>
  void verified.set(authInfo, request);

/** @throws CredentialsError if no endpoint verified one */
export function verifiedCaller({ authInfo }: MessageExtra): Caller {
  const found = verified.get(authInfo ?? {});
  if (found === undefined) throw new CredentialsError('credentials_missing');
  return found.caller;
}

/** Tells the endpoint, if there is one, what was allowed in the session. */
export const noteAllowed = ({ authInfo }: MessageExtra, call: AskedCall): void =>
  verified.get(authInfo ?? {})?.allowedCalls.add(call);
