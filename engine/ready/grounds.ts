import { type Effects, effectsOn } from '../effects.ts';
import { deniesOverride } from '../footing.ts';
import { EVERYWHERE, OWNED_EFFECTS, ownedId, PERMISSION, SCOPE } from '../needs.ts';
import type { Entry, Store } from '../store.ts';
import type { Place } from '../view.ts';
import { type Basis, basisOf, createStands } from './basis.ts';

/** A place out of the cache, with what was made for those who ask there. */
export interface Ground extends Place {
  readonly scope: string;
  readonly basis: Basis;
  readonly denyOverrides: boolean;
  readonly root: Entry<unknown>;
  readonly everywhere: Entry<unknown>;
  /** By permission, for all places under the root. */
  readonly rulings: Map<string, Ruling>;
}

/** The effects on a permission under a root, all in one object: a hit touches little memory. */
export interface Ruling extends Basis, Effects {
  /** What held everywhere when they were worked out. */
  readonly everywhere: Entry<unknown>;
}

/** What is made of the entry of a scope. */
interface MadeOfScope {
  ground: Ground | undefined;
  readonly rulings: Map<string, Ruling>;
}

/** Estimated bytes. */
const GROUND = 800;
const RULING = 500;
const WORD = 8;

function madeOf(entry: Entry<unknown>): MadeOfScope {
  entry.made ??= { ground: undefined, rulings: new Map() } satisfies MadeOfScope;
  return entry.made as MadeOfScope;
}

/** Grounds hang on the entries of their scopes, rulings on those of the roots: they go with them. */
export function createGrounds(store: Store) {
  const stands = createStands(store);

  function makeGround(scope: string, now: number): Ground | undefined {
    const own = store.find(SCOPE, scope, now);
    const everywhere = store.find(EVERYWHERE, '', now);
    if (!own?.facts || !everywhere?.facts) return undefined;
    const { ancestors } = own.facts;
    const above = ancestors.flatMap((ref) => store.find(SCOPE, ref, now) ?? []);
    if (above.length < ancestors.length) return undefined;
    const root = above.at(-1) ?? own;
    const scopes = [own.facts, ...above.map(({ facts }) => facts)];
    const ground: Ground = {
      scope,
      scopes,
      global: everywhere.facts,
      basis: basisOf([own, ...above, everywhere]),
      denyOverrides: deniesOverride({ scopes, global: everywhere.facts }),
      root,
      everywhere,
      rulings: madeOf(root).rulings,
    };
    const made = madeOf(own);
    // In the place of one before it takes no more room.
    if (made.ground === undefined) store.grow(own, GROUND);
    made.ground = ground;
    return ground;
  }

  function makeRuling({ scopes, global, root, everywhere, rulings }: Ground, name: string, now: number) {
    const facts = scopes.at(-1);
    const permission = store.find(PERMISSION, name, now);
    const owned = facts && store.find(OWNED_EFFECTS, ownedId(facts.ref, name), now);
    if (!permission || !owned) return undefined;
    // What may refuse and is not there is missed: the long way says so.
    if (owned.facts === null && facts.denials.has(name)) return undefined;
    const asked = { permission: permission.facts, owned: owned.facts, global, roles: facts.roles };
    const effects = effectsOn(asked);
    const basis = basisOf([permission, owned]);
    // Named one by one: what is spread stands apart from its object in memory.
    const ruling: Ruling = {
      version: basis.version,
      expiresAt: basis.expiresAt,
      everywhere,
      call: basis.call,
      readAt: basis.readAt,
      writtenAt: basis.writtenAt,
      soldModule: effects.soldModule,
      isRegistered: effects.isRegistered,
      globalAllow: effects.globalAllow,
      globalDeny: effects.globalDeny,
      ownAllow: effects.ownAllow,
      ownDeny: effects.ownDeny,
      entries: basis.entries,
    };
    if (effects.isRegistered) {
      // Only those: names that nothing has are without number.
      if (!rulings.has(name)) store.grow(root, RULING + WORD * wordsOf(effects));
      rulings.set(name, ruling);
    }
    return ruling;
  }

  return {
    stands,
    /** The place, if the cache has all of it. */
    groundAt: (scope: string, now: number): Ground | undefined => {
      const own = store.find(SCOPE, scope, now);
      if (own === undefined) return undefined;
      const { ground } = madeOf(own);
      return ground !== undefined && stands(ground.basis, now) ? ground : makeGround(scope, now);
    },
    /** What the roles of the place do to a permission, if the cache has it. */
    rulingOn: (ground: Ground, name: string, now: number): Ruling | undefined => {
      const ruling = ground.rulings.get(name);
      return ruling !== undefined && ruling.everywhere === ground.everywhere && stands(ruling, now)
        ? ruling
        : makeRuling(ground, name, now);
    },
  };
}

const wordsOf = ({ ownAllow, ownDeny, globalAllow, globalDeny }: Effects): number =>
  [ownAllow, ownDeny, globalAllow, globalDeny].reduce<number>(
    (sum, bits) => sum + (typeof bits === 'number' ? 0 : bits.length),
    0,
  );
