import { invalid } from '../../table/errors.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgePrefix, partitionOf } from '../../table/keys.ts';
import type { Reader } from '../../table/read/reader.ts';
import { decide } from '../decide.ts';
import type { Decision } from '../decision.ts';
import type { Freshness } from '../freshness.ts';
import { openViews, type ViewOptions } from '../open-views.ts';
import type { View } from '../view.ts';
import { type Elsewhere, readElsewhere } from './elsewhere.ts';
import type { Explanation, Place, Way } from './explanation.ts';
import { enterprisesOf, type Lapsed, pathOf, type Told } from './findings.ts';
import { createNames, type Names } from './names.ts';
import { nearestOf, some } from './nearest.ts';
import { asksRoles, stepsOf } from './steps.ts';
import {
  effectsOf,
  type Hold,
  holdState,
  holdsOf,
  type Reached,
  roleRef,
  sourceOf,
  tablesOf,
} from './ways.ts';

/** What explanations are read with. */
export type ExplanationReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list'>;

/** As those of the engine; the bounds matter to explanations that are not `strong`. */
export interface ExplainerOptions extends Omit<ViewOptions, 'reader'> {
  readonly reader: ExplanationReader;
}

export interface ExplainOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number;
  /** How fresh what the decision rests on must be; `strong` when left out: one instant. */
  readonly freshness?: Freshness;
}

export interface Explainer {
  /**
   * Why `subject` may use `permission` at `scope`, or why not. The decision is that of `check`, by the same code over
   * the same view; names and hints are read after it, and may be newer by a moment.
   *
   * It costs the reads of the check (`strong`: one TransactGetItems, or two for a nested scope) and one BatchGetItem
   * for names; a second one should a role of another tenant stand where it does not count. A refusal for want of a
   * grant takes up to three BatchGetItem more for what the subject holds elsewhere; one for want of a subscription
   * or licence takes a Query for each scope on the path.
   *
   * @throws GatehouseError `invalid` for an `at` that is no instant; on faults as `check` does
   */
  readonly explain: (
    subject: string,
    permission: string,
    scope: string,
    options?: ExplainOptions,
  ) => Promise<Explanation>;
}

/** Explanations come apart from the engine, so that what only decides does not carry them. */
export function createExplainer(options: ExplainerOptions): Explainer {
  const { reader, clock } = options;
  const { viewsOf, store } = openViews(options);

  return {
    explain: async (subject, permission, scope, { at: asked, freshness = 'strong' } = {}) => {
      const now = store.now();
      const at = asked ?? clock.now();
      if (Number.isNaN(new Date(at).getTime())) throw invalid('at', 'at is no instant in epoch milliseconds');
      const question = { subject, permission, scope };
      const { views } = await viewsOf([question], now, freshness);
      const view = views[0] as View;
      const decision = decide(view, at);
      const lapsed = await readLapsed(view, decision, reader);
      const elsewhere = wantsGrant(view, decision)
        ? await readElsewhere(view, permission, reader)
        : undefined;
      const names = createNames();
      const seen = { question, view, at, decision, lapsed };
      // Told once to learn what it names. What it names only then, the owner of a foreign role, is read as well.
      tell(seen, elsewhere, names);
      if (await names.read(reader)) tell(seen, elsewhere, names);
      await names.read(reader);
      return tell(seen, elsewhere, names);
    },
  };
}

/** Whether one more grant could have turned the answer: not where a DENY refuses whatever is granted. */
const wantsGrant = ({ scopes }: View, { reason }: Decision): boolean =>
  reason === 'no_grant' || (reason === 'denied_by_role' && scopes.at(-1)?.combination === 'allow-overrides');

function tell(seen: Omit<Told, 'effects'>, elsewhere: Elsewhere | undefined, names: Names): Explanation {
  const { question, view, at, decision } = seen;
  const subject = names.of(question.subject);
  const path = pathOf(question, view).map(
    (ref, position): Place =>
      position < view.scopes.length
        ? names.withStatus(ref, view.scopes[position]?.active)
        : { ...names.of(ref), status: 'not looked at' },
  );
  const ways = asksRoles(decision) ? waysOf(view, question.permission, at) : [];
  const effects = {
    allow: ways.filter(({ reached }) => reached.effect === 'ALLOW').length,
    deny: ways.filter(({ reached }) => reached.effect === 'DENY').length,
  };
  const steps = stepsOf({ ...seen, effects }, names);
  const shown = (effect: 'ALLOW' | 'DENY') =>
    some(
      ways.filter(({ reached }) => reached.effect === effect),
      ({ hold, reached }): Way => ({
        effect,
        from: sourceOf(hold, names),
        roles: reached.chain.map((id) => names.of(roleRef(id))),
        by: reached.by,
      }),
    );
  const isWhole = path.length === view.scopes.length;
  return {
    allowed: decision.allowed,
    reason: decision.reason,
    at: new Date(at).toISOString(),
    subject,
    permission: question.permission,
    path,
    combination: (isWhole && view.scopes.at(-1)?.combination) || null,
    steps,
    allowedBy: decision.reason === 'admin' ? forAdmin(view, question.permission, at, names) : shown('ALLOW'),
    deniedBy: shown('DENY'),
    nearest: elsewhere ? nearestOf(view, question.permission, holdsOf(view), elsewhere, at, names) : null,
  };
}

interface Found {
  readonly hold: Hold;
  readonly reached: Reached;
}

/** Every effect of every role in force, in the order in which the decision looks at them. */
function waysOf(view: View, permission: string, at: number): readonly Found[] {
  const tables = tablesOf(view);
  const ways: Found[] = [];
  for (const hold of holdsOf(view)) {
    if (holdState(hold, at) !== 'holds') continue;
    for (const reached of effectsOf(hold.role, permission, tables)) ways.push({ hold, reached });
  }
  return ways;
}

/** The flag decides; ways by roles come after it where they would be enough without. */
function forAdmin(view: View, permission: string, at: number, names: Names): Explanation['allowedBy'] {
  const flag: Way = { effect: 'ALLOW', from: { kind: 'administrator' }, roles: [], by: null };
  const without = { ...view, subject: view.subject && { ...view.subject, isAdmin: false } };
  const others = decide(without, at).allowed
    ? waysOf(view, permission, at).filter(({ reached }) => reached.effect === 'ALLOW')
    : [];
  const ways: readonly (Found | undefined)[] = [undefined, ...others];
  return some(ways, (way) =>
    way
      ? {
          effect: 'ALLOW',
          from: sourceOf(way.hold, names),
          roles: way.reached.chain.map((id) => names.of(roleRef(id))),
          by: way.reached.by,
        }
      : flag,
  );
}

/** Rows of subscriptions and licences that are looked at. */
const MAX_ROWS = 100;

/** Of what was sold on the path, that whose status keeps it from counting: decisions do not carry it. */
async function readLapsed(
  view: View,
  { reason }: Decision,
  reader: Pick<ExplanationReader, 'list'>,
): Promise<readonly Lapsed[]> {
  if (reason !== 'not_subscribed' && reason !== 'not_licensed') return [];
  const kind = reason === 'not_subscribed' ? 'subscription' : 'license';
  const to = kind === 'subscription' ? [view.permission?.module] : enterprisesOf(view);
  const ranges = view.scopes.flatMap((scope) =>
    scope ? [{ partition: partitionOf(parseRef(scope.ref, 'scope')), prefix: edgePrefix(kind) }] : [],
  );
  const { items } = await reader.list({ ranges, limit: MAX_ROWS });
  return items.flatMap((item) => lapsedFrom(kind, item)).filter((each) => to.includes(each.to));
}

const COUNTS: ReadonlySet<unknown> = new Set(['active', 'trial']);

function lapsedFrom(kind: Lapsed['kind'], item: Item): readonly Lapsed[] {
  const [to, at] = kind === 'subscription' ? [item.module, item.scope] : [item.enterprise, item.account];
  const { status, startDate, endDate } = item;
  if (typeof to !== 'string' || typeof at !== 'string' || typeof status !== 'string') return [];
  const start = typeof startDate === 'string' ? Date.parse(startDate) : Number.NEGATIVE_INFINITY;
  const end = typeof endDate === 'string' ? Date.parse(endDate) : Number.POSITIVE_INFINITY;
  return COUNTS.has(status) ? [] : [{ kind, to, at, status, start, end }];
}
