import type { Work } from '../engine/conditions/work.ts';
import { decisionInput } from '../engine/decision-input.ts';
import type { Ask } from '../engine/engine.ts';
import type { Actor, Credential, Given, Look, Question } from '../engine/index.ts';
import { SCOPE } from '../engine/items.ts';
import { resourceTypeIn } from '../engine/rows/resource-types.ts';
import { DEFAULT_RESOURCE_TYPE, permissionOf, type ResourceType, scopeOf } from '../table/resource-type.ts';
import { actorIn, type Entity, type Evaluation } from './requests.ts';

/** What a caller needs at the root of every resource that it asks about. */
export const EVALUATE = 'gatehouse:evaluate:decision';

/** Who calls: an enforcement point, by a credential of its own. */
export interface Caller {
  /** Tells callers apart: a digest, or the claims' issuer and subject. */
  readonly name: string;
  /** The subject; null if the credential names none, undefined while a look-up is not loaded. */
  readonly subjectIn: (look: Look) => string | null | undefined;
  readonly credential: Credential | undefined;
  /** Who acts for it, by the same credential. */
  readonly actor: Actor | undefined;
}

/** Whether the caller may evaluate at a place. Without a scope: only whether its credential is valid. */
export interface CallerQuestion extends Question {
  /** The caller as a subject; null if its credential names none. */
  readonly caller: string | null;
  /** The scope of the place is undefined if it does not exist. */
  readonly place: Place;
}

/** Where a resource is decided. */
export interface Place {
  /** How resources of its type are decided. */
  readonly type: ResourceType;
  /** The scope; undefined if the resource names none. */
  readonly scope: string | undefined;
}

/** Finds a place among loaded items; undefined while they are not loaded. */
type PlaceIn = (look: Look) => Place | undefined;

const placeOfResource =
  (resource: Entity): PlaceIn =>
  (look) => {
    const type = resourceTypeIn(look, resource.type);
    return type && { type, scope: scopeOf(type, resource) };
  };

/** The place of all resources of a type: none. */
export const placeOfType =
  (name: string): PlaceIn =>
  (look) => {
    const type = resourceTypeIn(look, name);
    return type && { type, scope: undefined };
  };

export const placeOfScope =
  (scope: string): PlaceIn =>
  () => ({ type: DEFAULT_RESOURCE_TYPE, scope });

/**
 * Asks whether the caller may evaluate at the root of a place. The root follows from the scope's item, which
 * the evaluation reads as well: both share their reads.
 *
 * @param placeIn undefined to ask only whether the caller's credential is valid
 * @param probable the scope of the place, probably: it is prefetched, never trusted
 */
export const askCaller =
  (caller: Caller, placeIn: PlaceIn = NO_PLACE, probable?: string): Ask<CallerQuestion> =>
  (look) => {
    const subject = caller.subjectIn(look);
    const place = placeIn(look);
    const at = place === undefined ? probable : place.scope;
    const scope = at === undefined ? null : look.item(SCOPE, at);
    if (subject === undefined || place === undefined || scope === undefined) {
      if (subject && at !== undefined) prefetchCheck(caller, subject, at, look);
      return undefined;
    }
    const isCheckable = subject !== null && scope !== null;
    return {
      caller: subject,
      place: { type: place.type, scope: scope?.ref },
      subject: subject ?? '',
      credential: subject === null ? undefined : caller.credential,
      actor: subject === null ? undefined : caller.actor,
      permission: isCheckable ? EVALUATE : undefined,
      scope: isCheckable ? (scope.ancestors.at(-1) ?? scope.ref) : undefined,
    };
  };

/** As {@link askCaller}, about a resource. */
export const askCallerAbout = (caller: Caller, resource: Entity): Ask<CallerQuestion> =>
  askCaller(caller, placeOfResource(resource), scopeOf(DEFAULT_RESOURCE_TYPE, resource));

const NO_PLACE: PlaceIn = () => ({ type: DEFAULT_RESOURCE_TYPE, scope: undefined });

/** Prefetches what the check of the caller looks at, as far as it can be known or guessed. */
function prefetchCheck({ credential, actor }: Caller, subject: string, at: string, look: Look): void {
  const root = look.recall(SCOPE, at)?.ancestors.at(-1) ?? at;
  decisionInput({ subject, credential, actor, permission: EVALUATE, scope: root }, guessing(look));
}

/** Prefetches instead of looking: what a decision would look at if the cached items had not changed. */
const guessing = (look: Look): Look => ({
  ...look,
  item: (kind, id) => {
    look.prefetch(kind, id);
    return look.recall(kind, id);
  },
});

/**
 * The question of one evaluation. Without a scope the resource names none.
 *
 * @param work the budget that all evaluations of a request share
 */
export const askEvaluation = (
  { subject, action, resource, context }: Evaluation,
  work: Work,
): Ask<Question> => {
  const actor = actorIn(context);
  return (look) => {
    const known = resourceTypeIn(look, resource.type);
    const type = known ?? DEFAULT_RESOURCE_TYPE;
    const question = {
      subject: refOf(subject),
      actor,
      permission: permissionOf(type, resource.type, action.name),
      scope: scopeOf(type, resource),
      given: givenOf({ subject, resource, action, context }),
      work,
    };
    if (known) return question;
    decisionInput(question, guessing(look));
    return undefined;
  };
};

/** What a request gives to conditions: of its subject the properties. */
export const givenOf = ({ subject, ...given }: Given): Given => ({
  ...given,
  subject: { properties: subject?.properties },
});

/** A subject as the engine names it. No type holds a colon: what is no reference names nothing. */
export const refOf = ({ type, id }: Entity): string => `${type}:${id}`;
