import type { KeyName } from './dependencies.ts';
import type { FunctionName } from './faults.ts';
import type { Outcome } from './runtime/function.ts';
import { authzenEvent, gatewayEvent, gatewayStatus, type Scene } from './stage.ts';

/** How a function is asked. */
export interface Asking {
  /** The key that signs the tokens. */
  readonly key: KeyName;
  /** How long after the start it is, for the function. */
  readonly aheadMs: number;
  /** Whether the event is far larger than the function has memory for. */
  readonly isHuge: boolean;
  /** What provisioning is asked to read; the reader unless given. */
  readonly input?: object;
}

export interface Asked {
  readonly what: string;
  /** What the caller got. */
  readonly answer: string;
  /** Whether somebody was allowed who may not. */
  readonly isWrongAllow: boolean;
}

/** Who asks the authorizer and the AuthZEN API, and whether that person may. */
const PEOPLE = [
  ['who may', 'reader', true],
  ['who may not', 'stranger', false],
] as const;

/** Below the 6 MB that Lambda takes; twenty times as large once it is read. */
const HUGE = { padding: Array.from({ length: 1_000_000 }, () => []) };

type Probe = (scene: Scene, asking: Asking) => Promise<readonly Asked[]>;

const authorizer: Probe = async ({ deployed, issuer, world }, { key, aheadMs, isHuge }) => {
  const asked: Asked[] = [];
  for (const [what, name, mayRead] of PEOPLE) {
    const token = await issuer.token(world[name], key);
    const event = gatewayEvent(token, `/${world.tenant.split(':')[1]}/reports`);
    const status = gatewayStatus(await deployed.invoke({ ...event, ...(isHuge && HUGE) }, aheadMs));
    asked.push({
      what,
      answer: String(status),
      isWrongAllow: status === 200 && (!mayRead || key === 'foreign'),
    });
  }
  return asked;
};

const authzen: Probe = async ({ deployed, issuer, world }, { key, aheadMs, isHuge }) => {
  const asked: Asked[] = [];
  for (const [what, name, mayRead] of PEOPLE) {
    const event = authzenEvent(await issuer.token(world.reader, key), {
      subject: { type: 'user', id: world[name] },
      action: { name: 'read' },
      resource: { type: 'tenant', id: world.tenant.split(':')[1] },
    });
    const outcome = await deployed.invoke({ ...event, ...(isHuge && HUGE) }, aheadMs);
    const { statusCode, body = '' } = (outcome.kind === 'answer' ? outcome.payload : {}) as AuthzenAnswer;
    const isAllow = statusCode === 200 && JSON.parse(body).decision === true;
    const decision = statusCode === 200 ? ` ${isAllow}` : '';
    asked.push({
      what,
      answer: statusCode === undefined ? ofInvoke(outcome) : `${statusCode}${decision}`,
      isWrongAllow: isAllow && (!mayRead || key === 'foreign'),
    });
  }
  return asked;
};

interface AuthzenAnswer {
  readonly statusCode?: number;
  readonly body?: string;
}

/** A write and a read. Nobody is allowed anything by the one that was answered with a fault. */
const provisioning: Probe = async ({ deployed, world }, { aheadMs, isHuge, input: read }) => {
  const commands = [
    ['a write', 'user.create', {}],
    ['a read', 'user.read', read ?? { id: world.reader }],
  ] as const;
  const asked: Asked[] = [];
  for (const [what, command, input] of commands) {
    const event = { command, input, ...(isHuge && HUGE) };
    const outcome = await deployed.invoke(event, aheadMs);
    const { ok, error } = (outcome.kind === 'answer' ? outcome.payload : {}) as CommandAnswer;
    const failure =
      error && `${error.code}, ${error.retryable ? 'a retry may help' : 'a retry does not help'}`;
    asked.push({ what, answer: ok ? 'done' : (failure ?? ofInvoke(outcome)), isWrongAllow: false });
  }
  return asked;
};

interface CommandAnswer {
  readonly ok?: boolean;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

/** What the Invoke API says of an invocation without an answer. */
const ofInvoke = (outcome: Outcome): string =>
  outcome.kind === 'throttled'
    ? '`TooManyRequestsException`'
    : outcome.kind === 'error'
      ? `\`${outcome.type}\``
      : 'nothing';

export const PROBES: Readonly<Record<FunctionName, Probe>> = { authorizer, provisioning, authzen };

/** Equal answers as one: `500`, otherwise `who may: 200; who may not: 403`. */
export function summaryOf(asked: readonly Asked[]): string {
  const answers = new Set(asked.map(({ answer }) => answer));
  if (answers.size === 1) return [...answers].join('');
  return asked.map(({ what, answer }) => `${what}: ${answer}`).join('; ');
}
