import type { Answer, Failure } from '../provisioning/index.ts';
import { ScimError } from './errors.ts';

/** A connection whose credential was shown. */
export interface Connection {
  readonly id: string;
  /** When the credential ends. Epoch milliseconds. */
  readonly expiresAt: number;
  /** When the last request was noted. Epoch milliseconds. */
  readonly lastSyncAt: number | undefined;
}

/** What a request works with: it writes nothing itself, and what a connection may do is in the commands. */
export interface Port {
  /** The connection of a credential's text; undefined where none is valid now. */
  readonly connectionOf: (credential: string) => Promise<Connection | undefined>;
  /** Carries out a command, or several, each answered by itself. */
  readonly provisioning: (event: Event) => Promise<Answer>;
}

interface Part {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}
type Event = (Part | { readonly batch: readonly Part[] }) & { readonly actor: string };

/**
 * Carries out a command of a connection, and answers with its result.
 *
 * No operation is named: the client does not say whether a request is a new one or the same again, and what is
 * recalled of an operation would leave out what has changed since. Commands compare with the table instead: sent again
 * they go on where they were, and what is as wanted already is not written.
 *
 * @throws CommandError
 */
export type Send = (command: string, input: Readonly<Record<string, unknown>>) => Promise<Result>;
export type Result = Readonly<Record<string, unknown>>;

/** Whether a command that reads finds each of these. Throws CommandError for what cannot be read. */
export type AreAll = (command: string, inputs: readonly Part['input'][]) => Promise<boolean>;

/** A command that was refused. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly failure: Failure['error'];
  constructor(failure: Failure['error']) {
    super(failure.code);
    this.failure = failure;
  }
}

/** The commands of a connection. */
export function commandsAs({ provisioning }: Port, connection: string) {
  const actor = actorOf(connection);
  const send: Send = async (command, input) =>
    resultOf(await provisioning({ command, input: { connection, ...input }, actor }));
  const areAll: AreAll = async (command, inputs) => {
    if (inputs.length === 0) return true;
    const batch = inputs.map((input) => ({ command, input: { connection, ...input } }));
    const { answers } = resultOf(await provisioning({ batch, actor }));
    for (const answer of answers as readonly Answer[]) {
      if (!answer.ok && answer.error.code === 'not_found') return false;
      resultOf(answer);
    }
    return true;
  };
  const userWith = async (email: string): Promise<string | undefined> => {
    const answer = await provisioning({ command: 'user.find', input: { email }, actor });
    if (!answer.ok && (answer.error.code === 'not_found' || answer.error.code === 'invalid'))
      return undefined;
    return String(resultOf(answer).id);
  };
  return { send, areAll, userWith };
}

export const actorOf = (connection: string): string => `scim:${connection}`;

function resultOf(answer: Answer): Result {
  if (!answer.ok) throw new CommandError(answer.error);
  return answer.result;
}

/** Fields that are unique within a connection, by what SCIM calls them. */
const UNIQUE: ReadonlySet<string> = new Set(['userName', 'externalId', 'displayName']);

/** Seconds after which a request may be sent again. */
const RETRY_AFTER = '5';

const FORBIDDEN: ReadonlySet<string> = new Set([
  'not_permitted',
  'approval_required',
  'invariant_violated',
  'invariant_unproved',
]);

/** The answer to a command that was refused. What `not_found` means, the caller of the command knows. */
export function answerTo({ code, field, message, retryable }: Failure['error']): ScimError {
  if (retryable || code === 'apply_running')
    return new ScimError(429, 'the request cannot be finished now: send it again', {
      headers: { 'Retry-After': RETRY_AFTER },
      code,
    });
  if (code === 'not_found') return new ScimError(404, 'the resource does not exist', { code });
  if (code === 'conflict')
    return new ScimError(409, `${UNIQUE.has(String(field)) ? field : 'the resource'} is taken already`, {
      scimType: 'uniqueness',
      code,
    });
  if (code === 'invalid' || code === 'limit_exceeded' || code === 'erased')
    return new ScimError(400, message, { scimType: 'invalidValue', code });
  if (FORBIDDEN.has(code)) return new ScimError(403, 'the connection may not do this', { code });
  return new ScimError(500, 'the request failed', { code });
}
