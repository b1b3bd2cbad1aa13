import type { Interval } from '../../table/decision/items.ts';
import { enterprisesOf, licensesFor, subscriptionsTo } from '../decide.ts';
import type { DecisionInput } from '../decision-input.ts';
import { holdingsOf } from '../effective-roles.ts';
import { soldModuleOf } from '../permission-effects.ts';
import { hasEffect, permissionAt } from './derivations.ts';
import type { Names } from './explained-names.ts';
import type { Period, Some, Validity } from './explanation.ts';
import { periodOf, roleRef, untilOf } from './holdings.ts';
import { some } from './suggestions.ts';

/**
 * Every period on which the decision rests, whether the instant is in it or not. Between their starts and ends the
 * decision does not change by time alone. A period without bounds is left out.
 */
export function validitiesOf(input: DecisionInput, names: Names): Some<Validity> {
  const { subject, scopes } = input;
  const permission = permissionAt(input);
  const soldModule = soldModuleOf(input.permission, input);
  const found: Validity[] = [];
  const add = (interval: Interval, show: (period: Period) => Validity): void => {
    const period = periodOf(interval);
    if (period.start !== undefined || period.end !== undefined) found.push(show(period));
  };

  if (subject)
    add(untilOf(subject.endsAt), (period) => ({
      kind: 'subject',
      ...period,
    }));
  for (const holding of holdingsOf(subject, input)) {
    if (holding.kind !== 'assignment' || !hasEffect(holding.role, permission)) continue;
    const [scope, role] = [names.of(holding.scope), names.of(roleRef(holding.role))];
    add(holding, (period) => ({ kind: 'assignment', scope, role, ...period }));
  }
  for (const { group, scope, roles, end } of input.tokenGroups)
    if (roles.some((role) => hasEffect(role, permission)))
      add(untilOf(end), (period) => ({
        kind: 'token_group',
        group: names.of(`group:${group}`),
        scope: names.of(scope),
        ...period,
      }));
  for (const place of scopes) {
    if (!place) continue;
    const scope = names.of(place.ref);
    if (soldModule !== undefined)
      for (const each of subscriptionsTo([place], soldModule))
        add(each, (period) => ({ kind: 'subscription', scope, module: soldModule, ...period }));
    for (const id of enterprisesOf(scopes))
      for (const each of licensesFor([place], id))
        add(each, (period) => ({ kind: 'license', scope, enterprise: names.of(id), ...period }));
  }
  return some(found, (each) => each);
}
