import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { invariantsIn } from '../../../provisioning/invariants/invariants-of.ts';
import { proveInvariants } from '../../../provisioning/invariants/prove.ts';
import { parseRef } from '../../../table/identifiers.ts';
import { decisionKey, invariantsKey } from '../../../table/keys.ts';
import { findingsOn } from '../findings.ts';
import { roundTrip } from './round-trip.ts';
import { applyOn, createMemoryWorld, planOn, worldOf } from './support.ts';

/** Invariants in manifests. */
const manifest = (invariants: string, more = '') => `
permissions: ["payments:create:payment", "payments:approve:payment", "billing:refund:invoice"]
scopes:
  acme: { id: acme, type: tenant }
  ${more}
roles: { maker: { id: maker, owner: acme, allow: ["payments:create:payment"] } }
groups: { finance: { id: finance, scope: acme, roles: [maker] } }
invariants: ${invariants}`;
const EYES = 'name: four eyes, separate: ["payments:create:payment", "payments:approve:payment"]';
const REFUNDS =
  '{ name: refunds stay in finance, never: "billing:refund:invoice", except: { group: finance } }';
const FULL = `[{ ${EYES}, within: scope }, ${REFUNDS}]`;

const shown = ({ steps }: Awaited<ReturnType<typeof planOn>>) =>
  steps.map(({ phase, verb, label, details }) => [phase, verb, label, ...details].join(' '));

describe('invariants in a manifest', () => {
  test('are applied, have nothing to do then, and are exported as they are', async () => {
    const { world, exported } = await roundTrip(manifest(FULL));
    const unnamed = (exported.invariants as readonly object[]).map((each) => ({ ...each, id: undefined }));
    expect(unnamed).toEqual(
      parse(manifest(FULL)).invariants.map((each: { separate?: string[] }) => ({
        scope: 'acme',
        ...each,
        ...(each.separate ? { separate: each.separate.toSorted() } : {}),
      })),
    );
    world.settle();
    expect(await findingsOn(world)).toEqual([]);
  });

  test('are found by their names, and what an entry leaves out it has no more', async () => {
    const world = await worldOf(manifest(FULL));
    expect(shown(await planOn(world, manifest(`[{ ${EYES} }]`)))).toEqual([
      'close remove refunds stay in finance',
      'prepare change four eyes within scope > none',
    ]);
  });

  test('name their tenant where the manifest has several', async () => {
    const world = createMemoryWorld();
    const several = manifest(`[{ ${EYES} }]`, 'other: { id: other, type: tenant }');
    expect((await planOn(world, several)).problems).toEqual([
      {
        path: ['invariants', 0, 'scope'],
        message: 'is needed: the manifest has several tenants, or none',
      },
    ]);
  });

  test('name a group and permissions of the manifest, and each name once', async () => {
    const wrong = manifest(
      `[{ ${EYES} }, { ${EYES} }, { name: a, never: "billing:x:y" }, { name: b, never: "billing:refund:invoice", except: { group: none } }]`,
    );
    const { problems } = await planOn(createMemoryWorld(), wrong);
    expect(problems.map(({ path }) => path.join('.'))).toEqual([
      'invariants.1',
      'invariants.2.never',
      'invariants.3.except',
    ]);
  });
});

describe('a manifest that would break an invariant', () => {
  const two = `
permissions: ["payments:create:payment", "payments:approve:payment"]
scopes: { acme: { id: acme, type: tenant } }
roles:
  maker: { id: maker, owner: acme, allow: ["payments:create:payment"] }
  checker: { id: checker, owner: acme, allow: ["payments:approve:payment"] }
users: { ann: { id: ann, grants: { acme: [maker] } } }
invariants: [{ ${EYES} }, { name: nobody, never: "payments:approve:payment" }]`;
  const broken = two.replace('[maker] }', '[maker, checker] }');
  const send = (world: ReturnType<typeof createMemoryWorld>, command: string, more = {}) =>
    world.provision({ command, input: { manifest: parse(broken), ...more } });

  test('is refused before anything is done, and its plan says who would have what', async () => {
    const world = await worldOf(two);
    const plan = await send(world, 'tenant.plan');
    expect(plan).toMatchObject({
      result: {
        invariants: {
          invariants: ['four eyes', 'nobody'],
          violations: [
            { name: 'four eyes', who: { people: ['user:ann'] }, holds: [{}, {}], test: expect.any(String) },
            { name: 'nobody', who: { people: ['user:ann'] }, holds: [{}] },
          ],
        },
      },
    });
    const before = world.items();
    expect(await send(world, 'tenant.apply')).toMatchObject({ error: { code: 'invariant_violated' } });
    expect(world.items()).toEqual(before);
  });

  test('already, by a new one, is applied; plan and apply say who does', async () => {
    const world = await worldOf(broken.replace(/^invariants.*$/m, ''));
    const warning = expect.stringMatching(/^not all holds [^;]* four eyes: ann [^;]*; nobody: ann [^;]*$/);
    expect(await send(world, 'tenant.plan')).toMatchObject({
      result: { invariants: { violations: [] }, warning },
    });
    expect(await send(world, 'tenant.apply')).toMatchObject({ ok: true, result: { create: 2, warning } });
    expect(await send(world, 'tenant.apply')).not.toHaveProperty('result.warning');
  });

  test('perhaps, by a new one of which a damaged item leaves that unknown, is applied; plan and apply say so', async () => {
    const world = await worldOf(broken.replace(/^invariants.*$/m, ''));
    const key = decisionKey({ type: 'user', id: 'ann' });
    await world.writer.send([{ kind: 'update', key, set: { roles: 7 } }]);
    const warning = expect.stringMatching(/^not all holds [^;]*: not all is known: [^;]*$/);
    expect(await send(world, 'tenant.plan')).toMatchObject({ result: { warning } });
    expect(await send(world, 'tenant.apply')).toMatchObject({ ok: true, result: { create: 2, warning } });
  });

  test('is applied where somebody accepts that, and the audit log has the reason', async () => {
    const world = await worldOf(two);
    const accept = ['four eyes', 'nobody'].map((invariant) => ({ invariant, reason: 'Bea is ill' }));
    expect(await send(world, 'tenant.apply', { accept: accept.slice(0, 1) })).toMatchObject({ ok: false });
    expect(await send(world, 'tenant.apply', { accept })).toMatchObject({ ok: true });
    const records = world.items().filter(({ Type }) => Type === 'AuditLog');
    expect(records.flatMap(({ accepted }) => accepted ?? [])).toEqual(accept);
  });

  test('is applied where it takes somebody out of the group that an invariant excepts: prove finds that', async () => {
    const world = createMemoryWorld();
    const of = (groups: string) => `
permissions: ["billing:refund:invoice"]
scopes: { acme: { id: acme, type: tenant } }
roles: { lender: { id: lender, owner: acme, allow: ["billing:refund:invoice"] } }
groups: { finance: { id: finance, scope: acme }, lenders: { id: lenders, scope: acme, roles: [lender] } }
users: { ann: { id: ann, groups: ${groups} }, bea: { id: bea } }
invariants: [${REFUNDS}]`;
    await applyOn(world, of('[finance, lenders]'));
    const apply = (manifest: string) =>
      world.provision({ command: 'tenant.apply', input: { manifest: parse(manifest), prune: true } });
    expect(await apply(of('[lenders]'))).toMatchObject({ ok: true });
    const [root, at] = ['tenant:acme', world.clock.now()];
    const invariants = invariantsIn(await world.reader.get(invariantsKey(parseRef(root, 'root'))));
    const { violations } = await proveInvariants({ reader: world.reader, root, invariants, at });
    expect(violations).toMatchObject([{ who: { people: ['user:ann'] } }]);
    const more = of('[lenders]').replace('bea: { id: bea', 'bea: { id: bea, groups: [lenders]');
    expect(await apply(more)).toMatchObject({ error: { code: 'invariant_violated' } });
  });

  const ofToken = (group: string) => `
permissions: ["billing:refund:invoice"]
scopes: { acme: { id: acme, type: tenant } }
roles: { lender: { id: lender, owner: acme, allowOnly: true, allow: ["billing:refund:invoice"] } }
groups:
  finance: { id: finance, scope: acme, allowOnly: true, roles: [lender] }
  lenders: { id: lenders, scope: acme, allowOnly: true, roles: [lender] }
invariants: [${REFUNDS}]
externalGroups: [{ scope: acme, issuer: "https://idp.example", externalId: ${group}, group: ${group} }]`;

  test('is refused where it does so for whoever shows a token, perhaps', async () => {
    const world = createMemoryWorld();
    await applyOn(world, ofToken('finance'));
    const input = { manifest: parse(ofToken('lenders')) };
    const who = { isAnybody: true, token: { groups: ['lenders'] } };
    expect(await world.provision({ command: 'tenant.plan', input })).toMatchObject({
      result: { invariants: { violations: [{ certain: false, who }] } },
    });
    expect(await world.provision({ command: 'tenant.apply', input })).toMatchObject({
      error: { code: 'invariant_violated', message: expect.stringMatching(/would perhaps hold/) },
    });
  });

  test('is applied where it ends the last invariant, though who gains by a token is not known', async () => {
    const world = createMemoryWorld();
    await applyOn(world, ofToken('finance'));
    const manifest = { ...parse(ofToken('lenders')), invariants: [] };
    const input = { manifest, prune: true };
    expect(await world.provision({ command: 'tenant.apply', input })).toMatchObject({ ok: true });
  });

  test('is applied where it only takes away, or what is broken was so before', async () => {
    const world = await worldOf(broken.replace(/invariants: .*/, ''));
    await applyOn(world, broken);
    await applyOn(world, broken.replace('ann: {', 'ann: { displayName: Ann,'));
    await applyOn(world, two);
    expect(await send(world, 'tenant.apply')).toMatchObject({ error: { code: 'invariant_violated' } });
  });
});
