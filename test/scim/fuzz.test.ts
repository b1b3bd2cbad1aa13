import { expect, test } from 'vitest';
import { createRandom } from '../proof/oracle/random.ts';
import { createFixture, groupOf, IDENTITY, USER, userOf } from './support.ts';

const SEED = 20_260_115;
const REQUESTS = 2_000;

interface Schema {
  readonly attributes?: readonly Attribute[];
}
interface Attribute {
  readonly name: string;
  readonly subAttributes?: readonly Attribute[];
}

test(`no request answers with a fault (seed ${SEED})`, async () => {
  const { a, b, as } = await createFixture();
  const { next: random, below, pick: one } = createRandom(SEED);
  const several = <T>(of: () => T, most = 4): readonly T[] => Array.from({ length: below(most) }, of);
  const users = [await userOf(a, 'ann'), await userOf(a, 'ben'), await userOf(b, 'cas')];
  const ids = [...users, await groupOf(a, 'Editors'), 'none', 'é', '%'];
  const { json: schemas } = await a('GET', '/Schemas');
  /** Every attribute, and every part of one. */
  const attributes: readonly string[] = schemas.Resources.flatMap(({ attributes = [] }: Schema) =>
    attributes.flatMap(({ name, subAttributes = [] }: Attribute) => [
      name,
      ...subAttributes.map((part) => `${name}.${part.name}`),
    ]),
  );
  const qualified = [USER, `${USER}:userName`, IDENTITY, `${IDENTITY}:sub`, 'meta', 'meta.created', 'id'];
  const others = ['title', 'x', '__proto__', 'constructor', 'toString', 'urn:', ':', '.', '$ref'];
  const words = [...attributes, ...qualified, ...others];
  const tokens = [' and ', ' or ', 'not ', ' eq ', ' pr', 'null', '1e400', '"a"'];
  const symbols = [...'[]()"\\ 7\n\u0000\ud800é', ...tokens];
  const texts = ['', 'a', 'ann', 'True', 'a@example.com', 'x'.repeat(300), '\ud800', '\u0000'];
  const filter = (): string => {
    if (random() < 0.5) return several(() => one([...words, ...symbols]), 12).join('');
    const compare = () =>
      `${one(words)} ${one(['eq', 'ne', 'co', 'gt', 'pr', 'EQ'])} ${one(['"a"', '"ann"', `"${one(ids)}"`, 'true', 'null', '7', '"2026-01-01T00:00:00Z"'])}`;
    return [compare(), ...several(() => `${one(['and', 'or', 'and not'])} (${compare()})`)].join(' ');
  };
  const value = (depth = 0): unknown => {
    const kind = random();
    if (depth > 3 || kind < 0.5) return one<unknown>([null, true, false, 7, -1e308, one(ids), ...texts]);
    if (kind < 0.7) return several(() => value(depth + 1));
    return Object.fromEntries(
      several(
        () => [one([...words, 'value', 'type', 'primary', 'op', 'path']), value(depth + 1)] as const,
        6,
      ),
    );
  };
  const path = () => (random() < 0.6 ? one(words) : `${one(words)}[${filter()}]${one(['', '.value', '.x'])}`);
  const operation = () => ({
    op: one(['add', 'Replace', 'remove', 'move', 7]),
    ...(random() < 0.8 ? { path: path() } : {}),
    ...(random() < 0.8 ? { value: value() } : {}),
  });
  const body = () => {
    const kind = random();
    if (kind < 0.5) return { Operations: [operation(), ...several(operation)] };
    if (kind < 0.9)
      return {
        userName: one(['ann', value(2)]),
        displayName: one(['Editors', value(2)]),
        ...(value() as object),
      };
    return one(['', '{', 'null', '[]', '"a"', '{"Operations":{}}', '{"Operations":[null]}']);
  };
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUESTS; count++) {
    const resources = ['/Users', '/Groups', `/Users/${one(ids)}`, `/Groups/${one(ids)}`];
    const target = one([...resources, '/Schemas', `/${one(words)}`]);
    const query = several(
      () =>
        `${one(['filter', 'filter', 'filter', 'startIndex', 'count', 'attributes', 'excludedAttributes', 'x'])}=${encodeURIComponent(one([filter(), filter(), filter(), one(words), '1', '-1', '999999999']).toWellFormed())}`,
    ).join('&');
    const method = one(['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'HEAD']);
    const sent = { method, target: `${target}?${query}`, body: body() };
    const { status, json } = await one([a, a, b, as('none')])(sent.method, sent.target, sent.body);
    expect(status, JSON.stringify(sent)).toBeLessThan(
      500 + (json?.detail === 'this is not supported' ? 2 : 0),
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // It reaches what it is for: requests that are carried out, and each way to be refused.
  expect([...statuses.keys()].sort()).toEqual([200, 201, 204, 400, 401, 404, 405, 409].sort());
});
