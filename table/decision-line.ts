/**
 * Lines of a decision log, as they are written and as they are read (ADR 0026). Both kinds have `process` and
 * `sequence`: together they name one line, and a number that is missing is a line that was lost.
 */

/** Which decisions are logged: none, refusals, refusals and a share of the allows, all. */
export const DECISION_LOGS = ['off', 'refusals', 'sampled', 'all'] as const;
export type DecisionLogMode = (typeof DECISION_LOGS)[number];

/** The `message` of a decision, and that of a heartbeat. */
export const DECISION = 'decision';
export const HEARTBEAT = 'decision log';

/**
 * What kind of question was decided:
 *
 * - `check`: one permission at one scope;
 * - `request`: the route of a request to an API;
 * - `policy`: the same, answered with a policy for the whole API, by which API Gateway may answer others without a line;
 * - `session`: a permission that a session was asked for, once in each session;
 * - `rows`: a page of rows, a line for each scope of a row that was decided: allowed if one row there is;
 * - `search`: what is searched for (subject, resource or action) is missing: allowed if something was found.
 */
export const QUESTION_KINDS = ['check', 'request', 'policy', 'session', 'rows', 'search'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/**
 * What a decision rests on that no table keeps: `properties`, which conditions look at and the question or the request
 * brought; a `token`, its groups or claims.
 */
export const RESTS = ['properties', 'token'] as const;
export type Rests = (typeof RESTS)[number];

/** What ids and permissions are made of, but the `@` of an email. What is not so is logged as a pseudonym. */
const PLAIN = /^[\w.~|=+:-]{1,256}$/;

export const isLoggedAsItIs = (text: string): boolean => PLAIN.test(text);

/** @param sha256 that of the text in UTF-8, as base64url. It is the same for the same text. */
export const pseudonymOf = (sha256: string): string => `sha256:${sha256.slice(0, 22)}`;

interface Line {
  readonly level: 'INFO';
  /** ISO 8601, UTC, by the clock of the process, which may jump: lines of a process are ordered by `sequence`. */
  readonly timestamp: string;
  readonly service: string;
  readonly traceId?: string | undefined;
  /** An id that each log draws anew in each process. */
  readonly process: string;
  /** 1, 2, 3 … over all lines of this `process`. */
  readonly sequence: number;
}

/** A reference in the two fields of OpenID AuthZEN. An id that is not plain is a pseudonym. */
export interface LoggedEntity {
  readonly type: string;
  readonly id: string;
}

/** A decision with the fields of an evaluation (OpenID AuthZEN 1.0, section 6). What is not known is missing. */
export interface DecisionLine extends Line {
  readonly message: typeof DECISION;
  readonly requestId?: string | undefined;
  /** The share of such decisions that has a line: below 1 for the allows of a sample. */
  readonly rate: number;
  readonly kind: QuestionKind;
  readonly subject?: LoggedEntity | undefined;
  /** Who acted for the subject. */
  readonly actor?: LoggedEntity | undefined;
  /** With an actor, the subject once more: for whom it acted. */
  readonly onBehalfOf?: LoggedEntity | undefined;
  /** The mandate by which the actor acted, a reference. */
  readonly mandate?: string | undefined;
  /** Actors that are nested in the token's `act`, the latest first. They decided nothing. */
  readonly actedBefore?: readonly string[] | undefined;
  readonly action?: { readonly name: string } | undefined;
  readonly resource?: LoggedEntity | undefined;
  readonly decision: boolean;
  readonly context: {
    /** A reason code; `found` or `nothing_found` of a search. */
    readonly reason: string;
    readonly route?: string | undefined;
    readonly api?: string | undefined;
    /** A reference. */
    readonly tenant?: string | undefined;
    /** The instant that was asked about, ISO 8601, where it is not that of the decision. */
    readonly at?: string | undefined;
    /** Missing where the decision rests on the table alone. */
    readonly rests?: readonly Rests[] | undefined;
  };
}

/**
 * What a log says of itself: each minute from its first decision on, and at its end; on Lambda at the end of each
 * invocation that decided. Of a process whose last line is not an `ended` one, what it decided after its last heartbeat is not known.
 */
export interface HeartbeatLine extends Line {
  readonly message: typeof HEARTBEAT;
  /** ISO 8601: since when `decisions` are counted, the heartbeat before. Earlier, if the clock went back. */
  readonly since: string;
  readonly mode: Exclude<DecisionLogMode, 'off'>;
  /** The share of allows that has a line. */
  readonly rate: number;
  /** How many lines `all` would have written since then. */
  readonly decisions: number;
  /** Of an authorizer: the name of the API. */
  readonly api?: string | undefined;
  /** The process, or the invocation, ends here. */
  readonly ended?: true | undefined;
}
