import { parseScopeRef } from '../entities/scope-types.ts';
import { invalid } from '../errors.ts';
import { isName } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { instantOf, type PageInput, pattern } from './pattern.ts';
import { pageOf } from './reads.ts';
import { byId } from './shapes.ts';
import { ownedBy } from './stretches.ts';

/** Subscriptions of scopes to modules (seeds 000 and 001). */
const COUNTS: ReadonlySet<unknown> = new Set(['active', 'trial']);

/** Whether a subscription counts at an instant, as a check takes it (SPEC section 2, step 5). */
const isInForce =
  (at: number) =>
  ({ status, startDate, endDate }: Item): boolean =>
    COUNTS.has(status) &&
    (typeof startDate !== 'string' || Date.parse(startDate) <= at) &&
    (typeof endDate !== 'string' || at < Date.parse(endDate));

export const subscription = byId('subscription', {
  name: 'subscription',
  title: 'a subscription by id',
  rows: ['AM-25'],
});

export const activeSubscriptions = pattern(
  {
    name: 'active-subscriptions',
    title:
      'the subscriptions made at a scope that count at an instant: active or trial, and within their dates',
    reads: [{ operation: 'Query' }],
    rows: ['AM-09', 'AM-25'],
  },
  (reader, { scope, at, ...page }: PageInput & { readonly scope: string; readonly at: string }) => {
    const keep = isInForce(Date.parse(instantOf(at, 'at')));
    return pageOf(reader, ownedBy(parseScopeRef(scope, 'scope'), 'subscription', keep), page);
  },
);

export const subscriptionsOfModule = pattern(
  {
    name: 'subscriptions-of-module',
    title: 'the subscriptions to a module, whatever their status',
    reads: [{ operation: 'Query' }],
    rows: ['AM-10'],
  },
  (reader, { module, ...page }: PageInput & { readonly module: string }) => {
    if (!isName(module)) throw invalid('module', 'module is not the name of a module');
    return pageOf(reader, ownedBy({ type: 'module', id: module }, 'subscription'), page);
  },
);
