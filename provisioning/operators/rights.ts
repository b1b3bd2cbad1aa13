import type { Identify, Identity } from '../../authorizer/credentials/identity.ts';
import { CredentialsError, Fault } from '../../authorizer/errors.ts';
import type { SubjectOf } from '../../authorizer/subject.ts';
import { createEngine, type Look, type Question } from '../../engine/index.ts';
import { SUBJECT, subjectId } from '../../engine/items.ts';
import { readItems } from '../../engine/read-items.ts';
import type { SubjectItem } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, isRef } from '../../table/identifiers.ts';
import { guardKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Operator, type Operators, permissionOf } from './operator.ts';

/** How operators are verified, and where the rights for what belongs to no tenant are granted. */
export interface OperatorsOptions {
  readonly reader: Pick<Reader, 'get' | 'getMany' | 'getSnapshot'>;
  readonly clock: { readonly now: () => number };
  /** The scope of these rights, as `tenant:operations`; without one only administrators have them. */
  readonly operationsScope: string | undefined;
  /** Verifies tokens; without it, operators are IAM principals. */
  readonly tokens: { readonly identify: Identify; readonly subjectOf: SubjectOf } | undefined;
}

/** The issuer under which users have an IAM principal as their identity. */
const IAM_ISSUER = 'iam';

const refused = (field: string | undefined, message: string): GatehouseError =>
  new GatehouseError('not_permitted', message, defined({ field }));

/** Decides by the engine, past every cache: a right that was taken a moment ago is gone. */
export function createOperators({ reader, clock, operationsScope, tokens }: OperatorsOptions): Operators {
  const engine = createEngine({ reader, clock, ttlMs: 0 });

  async function ofToken(token: string | undefined): Promise<Operator> {
    if (token === undefined) throw refused('token', 'token: the operator has to show one');
    const { identify, subjectOf } = tokens as NonNullable<typeof tokens>;
    const identity: Identity = await identify({ kind: 'http', authorization: [`Bearer ${token}`] });
    const ask = (look: Look): Question | undefined => {
      const subject = identity.subject ?? subjectOf(identity.claims, look);
      if (subject === undefined) return undefined;
      const { credential, actor } = subject === null ? NOBODY : identity;
      return { subject: subject ?? '', credential, actor, permission: undefined, scope: undefined };
    };
    const { question, decision } = await engine.checkAsked(ask, STRONG);
    if (question.subject === '' || decision?.reason === 'credential_refused')
      throw refused('token', 'token: it is refused');
    return {
      subject: question.subject,
      credential: question.credential,
      ...defined({ actor: question.actor }),
    };
  }

  async function ofPrincipal(principal: string | undefined): Promise<Operator> {
    const names = principal === undefined ? [] : namesOf(principal);
    if (principal === undefined || names.length === 0)
      throw refused(undefined, 'the caller is no IAM principal: use the function URL');
    const found = await reader.getMany(names.map((name) => guardKey('IDENTITY', name, IAM_ISSUER)));
    const owner = found.find((item) => item !== undefined)?.owner;
    if (typeof owner !== 'string' || !isRef(owner))
      throw refused(undefined, 'this IAM principal is no operator: no user has it as its identity');
    return { subject: owner, principal };
  }

  /** Undefined where it is not active now. */
  async function activeSubject(subject: string): Promise<SubjectItem | undefined> {
    const [item] = await readItems<[SubjectItem]>(reader, { kind: SUBJECT, id: subjectId(subject) });
    return item?.active && clock.now() < item.endsAt ? item : undefined;
  }

  return {
    identify: async ({ token, principal }) => {
      if (!tokens) {
        if (token !== undefined) throw refused('token', 'token: operators are IAM principals here');
        return ofPrincipal(principal);
      }
      try {
        return await ofToken(token);
      } catch (error) {
        if (error instanceof CredentialsError) throw refused('token', `token: it is refused (${error.code})`);
        if (error instanceof Fault)
          throw new GatehouseError('transient', 'the token could not be verified', { cause: error });
        throw error;
      }
    },

    isActive: async ({ subject }) => (await activeSubject(subject)) !== undefined,

    areGranted: async (subjects, scopes) => {
      const asked = subjects.flatMap((subject) => scopes.map((scope) => ({ subject, scope })));
      const permission = permissionOf('mandate.create');
      const decided = await engine.decideAsked(
        asked.map((each) => () => ({ ...each, permission })),
        STRONG,
      );
      if (!decided.every(({ decision, hasGrant }) => hasGrant && !GONE.has(decision?.reason ?? '')))
        return false;
      // A grant counts for `hasGrant` also where its time has passed.
      const roles = await Promise.all(
        asked.map(({ subject, scope }) => engine.effectiveRoles(subject, scope, STRONG)),
      );
      return roles.every((at) => at !== undefined && at.roles.length > 0);
    },

    may: async ({ subject, credential, actor }, rights) => {
      const item = await activeSubject(subject);
      if (!item) return rights.map(() => false);
      // With an actor, the engine decides for both, and by the mandate.
      if (item.isAdmin && !actor) return rights.map(() => true);
      /** Each right at its scope; undefined where there is none to ask at. */
      const decideAt = async (scopes: readonly (string | undefined)[]) => {
        const requests = rights.flatMap(({ permission }, position) => {
          const scope = scopes[position];
          return scope === undefined ? [] : [{ subject, permission, scope, credential, actor }];
        });
        const { decisions } = await engine.checkMany(requests, STRONG);
        const left = [...decisions];
        return scopes.map((scope) => (scope === undefined ? undefined : left.shift()));
      };
      const first = await decideAt(
        rights.map(({ tenant }) => (tenant ? formatRef(tenant) : operationsScope)),
      );
      // A tenant that is not there yet, or closed, has no operators of its own.
      const second = await decideAt(
        rights.map(({ tenant }, position) =>
          tenant && NOT_THERE.has(first[position]?.reason ?? '') ? operationsScope : undefined,
        ),
      );
      return rights.map((_, position) => (second[position] ?? first[position])?.allowed === true);
    },
  };
}

const NOBODY = { credential: undefined, actor: undefined };
const STRONG = { consistency: 'strong' } as const;

const NOT_THERE: ReadonlySet<string> = new Set(['scope_unknown', 'scope_inactive']);
/** Why nobody, or this subject, has anything there. */
const GONE: ReadonlySet<string> = new Set([
  ...NOT_THERE,
  'subject_unknown',
  'subject_inactive',
  'subject_ended',
]);

const ASSUMED_ROLE = /^(arn:[\w-]+:sts::\d{12}:assumed-role\/[\w+=,.@-]{1,64})\/[\w+=,.@-]{2,64}$/;
const PRINCIPAL = /^arn:[\w-]+:(?:iam|sts)::\d{12}:[\w+=,.@/-]{1,200}$/;

/**
 * The names under which a user may have this principal: its ARN; and, of a role that was assumed, the role without
 * the name of the session, which in general the caller chooses.
 */
function namesOf(principal: string): readonly string[] {
  if (principal.length > 255 || !PRINCIPAL.test(principal)) return [];
  const [, role] = ASSUMED_ROLE.exec(principal) ?? [];
  return role === undefined ? [principal] : [principal, role];
}
