import { expect, test } from 'vitest';
import { match } from '../../authorizer/routes/rule.ts';
import { changesFor } from '../../provisioning/routes/changes.ts';
import { type Route, ruleOf, type WrittenRoute } from '../../provisioning/routes/route.ts';
import { routeShape } from '../../table/route-template.ts';
import * as fc from '../support/fast-check.ts';

/** Whatever an import changes, no request meets a rule on the way that is neither its old one nor its new one. */
const segment = fc.constantFrom('a', 'b', '{x}');
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '/{rest+}'))
  .map(([segments, rest]) => {
    const named = segments
      .map((each, position) => (each === '{x}' ? `/{x${position}}` : `/${each}`))
      .join('');
    return `${named}${rest}` || '/';
  });
const route: fc.Arbitrary<WrittenRoute> = fc.record({
  method: fc.constantFrom('GET', 'ANY'),
  path,
  permission: fc.constantFrom('p', 'q', 'r'),
  scope: fc.constant('tenant:t'),
});
const some = fc.uniqueArray(route, {
  maxLength: 8,
  selector: (each) => `${each.method} ${routeShape(each.path, 'path')}`,
});

const PARTS = ['a', 'b', 'c'];
const REQUESTS = ['/', ...PARTS, ...PARTS.flatMap((a) => PARTS.map((b) => `${a}/${b}`))]
  .flatMap((each) => (each === '/' ? [each] : [`/${each}`, `/${each}/a`, `/${each}/c`]))
  .flatMap((each) => [`GET ${each}`, `PUT ${each}`]);

/** The permission that each request needs. */
const decide = (routes: readonly Route[]): readonly (string | undefined)[] => {
  const byId = new Map(routes.map((each) => [each.id, each]));
  return REQUESTS.map((request) => {
    const [method = '', asked = ''] = request.split(' ');
    const found = match(
      routes.map(({ rule }) => rule),
      method,
      asked,
    );
    return found && byId.get(found.rule.id)?.permission;
  });
};

test('in every order of the writes', () => {
  let number = 0;
  const store = (written: WrittenRoute): Route => {
    // Of no order of their own, as ids are that were made on different days.
    const id = String((++number * 7919) % 10_007);
    return { ...written, id, rule: ruleOf(id, written) };
  };
  fc.assert(
    fc.property(some, some, fc.boolean(), (before, after, prune) => {
      const old = before.map(store);
      const { creates, updates, removes, kept, unchanged } = changesFor(
        old,
        after.map((each) => ({ ...each, from: undefined })),
        prune,
      );
      let now: readonly Route[] = old;
      const states = [decide(now)];
      const step = (next: readonly Route[]) => {
        now = next;
        states.push(decide(now));
      };
      for (const each of creates) step([...now, store(each)]);
      for (const { route: of, permission = of.permission } of updates)
        step(now.map((each) => (each.id === of.id ? { ...each, permission } : each)));
      for (const each of removes) step(now.filter(({ id }) => id !== each.id));

      const wanted = new Set(
        [...after, ...kept].map(({ method, path: at }) => `${method} ${routeShape(at, 'path')}`),
      );
      expect(now).toHaveLength(wanted.size);
      expect(updates.length + unchanged.length + creates.length).toBe(after.length);
      expect(states.at(-1)).toEqual(decide([...after, ...kept].map(store)));
      for (const state of states)
        for (const [position, permission] of state.entries())
          expect([states[0]?.[position], states.at(-1)?.[position]]).toContain(permission);
    }),
    { numRuns: 60 },
  );
});
