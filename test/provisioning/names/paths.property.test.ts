import { expect, test } from 'vitest';
import * as fc from '../../support/fast-check.ts';
import { createLightWorld } from '../../support/world.ts';

/** Random trees with colliding names: each path leads where a naive search of all nodes leads. */
const NAMES = ['a', 'A', 'b', 'a/b', 'b/a', '/', 'ａ', ' b ', 'c'];
const name = fc.constantFrom(...NAMES);
/** Each scope hangs below one that was made before. */
const tree = fc.array(fc.record({ name, above: fc.nat(20), isGroup: fc.boolean() }), { maxLength: 10 });
const paths = fc.array(
  fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/')),
  { minLength: 1, maxLength: 6 },
);

interface Node {
  readonly ref: string;
  readonly name: string;
  readonly parent?: Node | undefined;
}
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
/** Every end of the path of a node, whole names only. */
function endsOf(node: Node): readonly string[] {
  const ends = [folded(node.name)];
  for (let at = node.parent; at; at = at.parent) ends.push(`${folded(at.name)}/${ends.at(-1)}`);
  return ends;
}
const naive = (nodes: readonly Node[], text: string) =>
  nodes
    .filter((node) => endsOf(node).includes(folded(text)))
    .map(({ ref }) => ref)
    .sort();

test('a path means what a search of all nodes finds', async () => {
  const world = await createLightWorld();
  await world.run('scope-type.create', { name: 'part', root: true, parents: ['part'] });
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 2 }),
      tree,
      paths,
      async (roots, below, texts) => {
        const scopes: Node[] = [];
        const groups: Node[] = [];
        for (const root of roots) {
          const { id } = await world.run('scope.create', { type: 'part', name: root });
          scopes.push({ ref: `part:${id}`, name: root });
        }
        for (const each of below) {
          const parent = scopes[each.above % scopes.length] as Node;
          if (each.isGroup) {
            const { id } = await world.run('group.create', { scope: parent.ref, name: each.name });
            groups.push({ ref: `group:${id}`, name: each.name, parent });
          } else {
            const { id } = await world.run('scope.create', {
              type: 'part',
              name: each.name,
              parent: parent.ref,
            });
            scopes.push({ ref: `part:${id}`, name: each.name, parent });
          }
        }
        const ends = scopes.map((node) => endsOf(node).at(-1) as string);
        for (const text of [...texts, ...ends]) {
          for (const [kind, nodes] of [
            ['scope', scopes],
            ['group', groups],
          ] as const) {
            world.calls.length = 0;
            const { candidates, more } = await world.run('name.find', { kind, name: text });
            expect(world.calls.length).toBeLessThanOrEqual(3);
            expect(more).toBe(false);
            const found = (candidates as { ref: string }[]).map(({ ref }) => ref).sort();
            expect(found, `${kind} ${JSON.stringify(text)}`).toEqual(naive(nodes, text));
          }
        }
        for (const { ref } of scopes.filter(({ parent }) => !parent))
          await world.run('scope.delete-tree', { scope: ref });
        for (const text of texts)
          expect(await world.run('name.find', { kind: 'scope', name: text })).toMatchObject({
            candidates: [],
          });
      },
    ),
    { numRuns: 12 },
  );
});
