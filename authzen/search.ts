import { createWork, type Work } from '../engine/conditions/work.ts';
import { DENIED } from '../engine/decision.ts';
import type { LogDecision, LoggedDecision } from '../engine/decision-log.ts';
import type { Actor, Ask, CheckRequest, Clock, Engine, Question } from '../engine/index.ts';
import { createPager } from '../engine/search/page.ts';
import { createLists } from '../engine/search/search.ts';
import type { SearchReader } from '../engine/search/sources.ts';
import type { Page as Found } from '../table/reader.ts';
import { actionOf, MAX_ACTIONS, permissionOf, type ResourceType } from '../table/resource-type.ts';
import { isAllowed, refuseNobody } from './evaluate.ts';
import { type PagePlace, readPage } from './page-token.ts';
import {
  askCaller,
  askCallerAbout,
  type Caller,
  givenOf,
  placeOfScope,
  placeOfType,
  refOf,
} from './questions.ts';
import {
  type ActionSearch,
  actorIn,
  type Entity,
  type ResourceSearch,
  type SubjectSearch,
} from './requests.ts';
import type { RootsOf } from './roots.ts';

/** A page of results (section 7.3). An empty `next_token` ends the list. */
export interface SearchAnswer<T> {
  readonly page: { readonly next_token: string; readonly count: number };
  readonly results: readonly T[];
}

/** A subject or a resource that was found. */
export type FoundEntity = Pick<Entity, 'type' | 'id'>;

export interface SearchParts {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'checkAsked' | 'checkMany' | 'checkManyAsked'>;
  readonly clock: Clock;
  readonly rootsOf: RootsOf;
  /** Takes each page; undefined if none is logged. */
  readonly logDecision?: LogDecision | undefined;
}

/** The calls to a search of the engine that one page may take, where some of what it finds is left out. */
const MAX_CALLS = 20;

/**
 * The three searches, over those of the engine. They find only what the caller may evaluate: an unknown
 * resource and one of a root where it may not give the same empty list.
 *
 * Each throws CredentialsError, ForbiddenError for a caller that may evaluate nowhere, and BadRequestError
 * for a token of another query; faults as the engine's searches.
 */
export function createSearches({ reader, engine, clock, rootsOf, logDecision }: SearchParts) {
  /** The place of a resource; undefined where it does not exist, or the caller may not evaluate. */
  async function placeFor(caller: Caller, resource: Entity): Promise<Existing | undefined> {
    const answer = await engine.checkAsked(askCallerAbout(caller, resource));
    const { type, scope } = answer.question.place;
    if (isAllowed(answer)) return scope === undefined ? undefined : { type, scope, tenant: answer.tenant };
    await refuseNobody(answer, rootsOf);
    return undefined;
  }

  /** A search whose pages are logged: what was asked for, and whether something was found. */
  const logged =
    <R, T>(search: (caller: Caller, request: R) => Promise<{ asked: Asked; answer: SearchAnswer<T> }>) =>
    async (caller: Caller, request: R, requestId?: string): Promise<SearchAnswer<T>> => {
      const { asked, answer } = await search(caller, request);
      const allowed = answer.results.length > 0;
      const reason = allowed ? 'found' : 'nothing_found';
      logDecision?.({ kind: 'search', requestId, ...asked, allowed, reason });
      return answer;
    };

  return {
    subjects: logged(async (caller, request: SubjectSearch) => {
      const { subject, action, resource, context, page } = request;
      const query = ['subject', caller.name, subject.type, subject.properties, action, resource, context];
      const from = await readPage(page, query);
      const at = await placeFor(caller, resource);
      if (at === undefined || !areNames(subject.type, action.name)) return { asked: {}, answer: NOTHING };
      const { scope, tenant } = at;
      const permission = permissionOf(at.type, resource.type, action.name);
      const given = givenOf({ subject, resource, action, context });
      const actor = actorIn(context);
      const lists = createLists({ reader, clock, engine: actingAs(actor, engine) });
      const next: Next = (limit, cursor, work) =>
        lists.listSubjects(permission, scope, { type: subject.type, limit, cursor, work, ...given });
      const answer = answerOf(from, await fill(from, next), toEntity);
      return { asked: { actor, permission, scope, tenant }, answer };
    }),

    resources: logged(async (caller, request: ResourceSearch) => {
      const { subject, action, resource, context, page } = request;
      const query = ['resource', caller.name, subject, action, resource.type, resource.properties, context];
      const from = await readPage(page, query);
      const answer = await engine.checkAsked(askCaller(caller, placeOfType(resource.type)));
      isAllowed(answer);
      await refuseNobody(answer, rootsOf);
      const { type } = answer.question.place;
      const permission = permissionOf(type, resource.type, action.name);
      // Objects that no table keeps cannot be listed.
      const actor = actorIn(context);
      const asked = { subject: refOf(subject), actor, permission };
      if (type.scope !== undefined || !areNames(asked.subject, resource.type, action.name))
        return { asked, answer: NOTHING };
      const { within } = await rootsOf(answer.question.caller as string, 'everyone');
      const { listScopes } = createLists({ reader, clock, engine: actingAs(actor, guarded(caller)) });
      const { type: wanted, properties } = resource;
      const given = givenOf({ subject, resource: { properties }, action, context });
      const next: Next = (limit, cursor, work) =>
        listScopes(asked.subject, permission, { type: wanted, limit, cursor, within, work, ...given });
      return { asked, answer: answerOf(from, await fill(from, next), toEntity) };
    }),

    actions: logged(async (caller, request: ActionSearch) => {
      const { subject, resource, context, page } = request;
      const from = await readPage(page, ['action', caller.name, subject, resource, context]);
      const at = await placeFor(caller, resource);
      const actor = actorIn(context);
      const asked = { subject: refOf(subject), actor, scope: at?.scope, tenant: at?.tenant };
      if (at === undefined || !areNames(asked.subject)) return { asked, answer: NOTHING };
      const next = actionsAt(request, at);
      return { asked, answer: answerOf(from, await fill(from, next), (name) => ({ name })) };
    }),
  };

  /**
   * The actions that a subject may perform at a place: first those that have a permission of their own, then
   * those that registered permissions are by the type's template. A cursor begins with the part it is in.
   */
  function actionsAt({ subject, resource, context }: ActionSearch, { type, scope }: Existing): Next {
    const { checkMany } = actingAs(actorIn(context), engine);
    const own = [...type.actions.keys()].sort();
    const kind = type.permission.includes(':') ? ('permission' as const) : ('page' as const);
    const nameOf = (permission: string) => actionOf(type, resource.type, permission);
    const given = givenOf({ subject, resource, context });
    const checkAction = (action: string, permission: string): CheckRequest => ({
      subject: refOf(subject),
      permission,
      scope,
      given: { ...given, action: { name: action } },
    });

    // They are too few for a time at which a page ends.
    const fillOwn = createPager(clock, Number.POSITIVE_INFINITY);
    async function firstPart(
      limit: number,
      inner: string | undefined,
      work: Work,
      start?: string,
    ): Promise<Found<string>> {
      const { items, cursor } = await fillOwn<string>({
        name: ['actions'],
        options: { limit, cursor: inner, work },
        together: MAX_ACTIONS,
        steps: async function* (from) {
          const after = from?.action ?? start;
          for (const candidate of own)
            if (after === undefined || candidate > after) yield { candidate, place: { action: candidate } };
        },
        decide: async (actions) => {
          const asked = actions.map((name) => checkAction(name, permissionOf(type, resource.type, name)));
          return (await checkMany(asked, { work })).decisions;
        },
      });
      return { items, cursor: cursor === undefined ? 'template ' : `actions ${cursor}` };
    }

    const { listPermissions } = createLists({
      reader,
      clock,
      engine: {
        checkMany: (requests, { work } = {}) =>
          checkMany(
            requests.map(({ permission }) => checkAction(nameOf(permission) ?? '', permission)),
            { work },
          ),
      },
    });
    const accept = (permission: string) => nameOf(permission) !== undefined;

    return async (limit, cursor, work) => {
      if (cursor === undefined || cursor.startsWith('actions '))
        return firstPart(limit, cursor?.slice('actions '.length), work);
      // An older release names the last action.
      if (cursor.startsWith('own ')) return firstPart(limit, undefined, work, cursor.slice('own '.length));
      const inner = cursor.slice('template '.length) || undefined;
      const options = { limit, cursor: inner, kind, accept, work };
      const found = await listPermissions(refOf(subject), scope, options);
      const items = found.items.map((permission) => nameOf(permission) ?? '');
      return found.cursor === undefined ? { items } : { items, cursor: `template ${found.cursor}` };
    };
  }

  /** Checks as the engine does, and allows only where the caller may evaluate as well. */
  function guarded(caller: Caller): Pick<Engine, 'checkMany'> {
    return {
      checkMany: async (requests, { work, keepDecisions, ...given } = {}) => {
        const own = requests.map((request) => () => ({ ...request, given, work }));
        const callers = requests.map(({ scope }) => askCaller(caller, placeOfScope(scope)));
        const asks: Ask<Question>[] = [...own, ...callers];
        const { answers, ...rest } = await engine.checkManyAsked(asks, { keepDecisions });
        const decisions = requests.map((_, position) => {
          const [own, callers] = [answers[position], answers[requests.length + position]];
          return callers?.decision?.allowed === true && own?.decision ? own.decision : DENIED.no_grant;
        });
        return { decisions, ...rest };
      },
    };
  }
}

/** An engine that decides everything for who acts for the subjects. */
const actingAs = (
  actor: Actor | undefined,
  { checkMany }: Pick<Engine, 'checkMany'>,
): Pick<Engine, 'checkMany'> => ({
  checkMany: (requests, options) =>
    checkMany(
      requests.map((request) => ({ ...request, actor })),
      options,
    ),
});

/** No name is longer. The engine refuses to look for what is. */
const MAX_NAME = 256;

/** Whether these texts can name something. */
const areNames = (...texts: readonly string[]): boolean =>
  texts.every((text) => text !== '' && text.length <= MAX_NAME);

/** A place that exists. */
interface Existing {
  readonly type: ResourceType;
  readonly scope: string;
  readonly tenant: string | undefined;
}

/** What a search was asked for, as it is logged. */
type Asked = Pick<LoggedDecision, 'subject' | 'actor' | 'permission' | 'scope' | 'tenant'>;

const NOTHING: SearchAnswer<never> = { page: { next_token: '', count: 0 }, results: [] };

type Next = (limit: number, cursor: string | undefined, work: Work) => Promise<Found<string>>;

/** Fills one page from those of a search of the engine. It has a cursor if more may follow. */
async function fill({ limit, cursor }: PagePlace, next: Next): Promise<Found<string>> {
  if (limit === 0) return { items: [], cursor: cursor ?? '' };
  const items: string[] = [];
  let at = cursor;
  const work = createWork();
  for (let calls = 0; calls < MAX_CALLS && !work.isSpent(); calls++) {
    const found = await next(limit - items.length, at, work);
    items.push(...found.items);
    if (found.cursor === undefined) return { items };
    // It has passed over its first candidate, which may be within a whole budget: the next request asks again.
    if (calls > 0 && work.isSpent() && found.items.length === 0) break;
    at = found.cursor;
    if (items.length >= limit) break;
  }
  return { items, cursor: at as string };
}

const answerOf = <T>(
  { tokenAt }: PagePlace,
  { items, cursor }: Found<string>,
  toResult: (item: string) => T,
): SearchAnswer<T> => ({
  page: { next_token: cursor === undefined ? '' : tokenAt(cursor), count: items.length },
  results: items.map(toResult),
});

const toEntity = (ref: string): FoundEntity => {
  const colon = ref.indexOf(':');
  return { type: ref.slice(0, colon), id: ref.slice(colon + 1) };
};
