import type { Answer, Authorizer } from '../../../authorizer/index.ts';
import { evaluate, INVOKE_ACTION } from '../../../authorizer/policies/index.ts';
import { DEFAULT_TTL_MS } from '../../../engine/index.ts';
import { ARN, httpEvent, restRequestEvent } from '../../authorizer/support.ts';
import type { Model } from '../oracle/model.ts';
import { isGood, type ShownCaller } from './callers.ts';
import type { Doing } from './history.ts';
import { isAbsent, type Judge } from './record.ts';
import type { SmallNames } from './worlds.ts';

/** Requests for routes, as API Gateway tells an authorizer of them, and what is right to answer. */
export interface Asked {
  readonly event: unknown;
  readonly arn: string;
  readonly text: string;
  readonly isJwt: boolean;
  /** Whether a model has the subject whose token it is. */
  readonly hasSubject: (model: Model) => boolean;
  /** Whether something that it names is not there, by a model: a refusal, whatever the reason (ADR 0014). */
  readonly isAbsent: (model: Model) => boolean;
  /** The reason of the answer, or `unauthorized`, by a model. */
  readonly truthAt: (model: Model, at: number, judge: Judge) => string;
}

export interface Outcome {
  /** The reason, `unauthorized`, `fault`, or `policy` for the whole API. */
  readonly outcome: string;
  /** Of a policy for the whole API: whether it allows an ARN. */
  readonly allows?: (arn: string) => boolean;
}

type Request = Doing & { does: 'request' };

/** How long keys that an issuer has withdrawn may still be used: fresh ones, then while no others can be had. */
const KEYS_KEPT_MS = 600_000 + 300_000;
/** A key that is not known is fetched at most so often, and a fetch that fails is repeated after as long. */
const KEYS_SOUGHT_MS = 30_000;

export function createRequests(callers: readonly ShownCaller[], { routes, places }: SmallNames) {
  const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

  function ask({ caller, route, place, page }: Request, key: number, process: number, id: string): Asked {
    const shown = callers[caller] as ShownCaller;
    const rule = routes.find((each) => each.id === route) as (typeof routes)[number];
    const path = rule.path.replace('{id}', inPath(idOf(place))).replace('{page}', page);
    const authorization = `Bearer ${shown.token(key)}`;
    const stage = process === 1 ? 'prod' : '$default';
    const arn = `${ARN}/${stage}/GET${path}`;
    const isByEmail = process === 2 && shown.isJwt;
    const subjectIn = (model: Model): string | undefined =>
      isByEmail ? model.subjects.find(({ email }) => email === shown.email)?.ref : shown.subject;
    const permissionIn = (model: Model): string | undefined =>
      model.routes.find(({ id }) => id === route)?.permission.replace('{page}', page);
    return {
      arn,
      isJwt: shown.isJwt,
      hasSubject: (model) => model.subjects.some(({ ref }) => ref === shown.subject),
      text: `GET ${path} by ${shown.credential}${isByEmail ? ` of ${shown.email}` : ''}${shown.groups ? ` in ${shown.groups.ids}` : ''}, key ${key}`,
      event: withId(
        process === 1
          ? restRequestEvent('GET', path, { Authorization: [authorization] })
          : httpEvent('GET', path, { authorization }),
        id,
      ),
      isAbsent: (model) => {
        const [subject, permission] = [subjectIn(model), permissionIn(model)];
        if (subject === undefined) return true;
        return permission !== undefined && isAbsent(model, { subject, permission, scope: place });
      },
      truthAt: (model, at, judge) => {
        const subject = subjectIn(model);
        if (subject === undefined) return 'subject_unknown';
        if (!isGood(model, shown.credential, subject)) return 'unauthorized';
        const permission = permissionIn(model);
        if (permission === undefined) return 'route_unmapped';
        return judge(model, { subject, permission, scope: place, at, groups: shown.groups }).reason;
      },
    };
  }

  return {
    ask,
    /** Requests of the same caller, for which its policy speaks as well. */
    others: (step: Request, key: number, process: number, id: string): readonly Asked[] => [
      ask(step, key, process, id),
      ...routes.flatMap(({ id: route, scope }) =>
        places
          .filter(({ ref }) => scope.startsWith(`${ref.slice(0, ref.indexOf(':'))}:`))
          // A policy leaves out what has to be encoded: the answer is for the route alone then.
          .filter(({ ref }) => inPath(idOf(ref)) === idOf(ref))
          .slice(0, 1)
          .map(({ ref }) => ask({ ...step, route, place: ref }, key, process, id)),
      ),
    ],
    /** Whether the issuer has published a key all the time that matters, and at some instant of it. */
    wasPublished: (
      rotations: readonly { readonly from: number; readonly keys: readonly number[] }[],
      key: number,
      now: number,
    ) => {
      const during = (milliseconds: number) =>
        rotations.filter((_, n) => (rotations[n + 1]?.from ?? Number.POSITIVE_INFINITY) > now - milliseconds);
      return {
        throughout: during(KEYS_KEPT_MS).every(({ keys }) => keys.includes(key)),
        ever: during(KEYS_KEPT_MS + KEYS_SOUGHT_MS + 3 * DEFAULT_TTL_MS).some(({ keys }) =>
          keys.includes(key),
        ),
      };
    },
  };
}

/** A value as it stands in a path (RFC 3986, pchar). */
const inPath = (value: string): string => encodeURIComponent(value).replaceAll('%40', '@');

/** The event of a request with this id. */
const withId = <Event extends { readonly requestContext: object }>(event: Event, requestId: string) => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
});

/** What an authorizer answers. */
export async function askAuthorizer(authorizer: Authorizer, { event }: Asked): Promise<Outcome> {
  let answer: Answer;
  try {
    answer = await authorizer(event);
  } catch (error) {
    return { outcome: (error as Error).message === 'Unauthorized' ? 'unauthorized' : 'fault' };
  }
  if (!('policyDocument' in answer) || answer.context.coverage !== 'api')
    return { outcome: answer.context?.reason ?? 'none' };
  const statements = answer.policyDocument.Statement.map(({ Effect, Action, Resource }) => ({
    effect: Effect,
    actions: [Action],
    resources: [Resource].flat(),
  }));
  return {
    outcome: 'policy',
    allows: (arn) => evaluate(statements, INVOKE_ACTION, arn).decision === 'allow',
  };
}
