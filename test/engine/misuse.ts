import { createEngine, type Decision, type Engine, type EngineOptions } from '../../engine/index.ts';

/**
 * What must not compile. Never run: `npm run typecheck` fails when a line below an expectation is taken, or
 * when one that stands free is not.
 */
export function misuse(engine: Engine, decision: Decision, options: EngineOptions): void {
  const { clock, reader } = options;
  createEngine({ clock, reader });
  createEngine({ clock, reader: { getMany: async () => [], getSnapshot: async () => [] } });
  // @ts-expect-error there is no clock but the one that is given
  createEngine({ reader });
  // @ts-expect-error a reader reads many keys at once
  createEngine({ clock, reader: { get: reader.getMany } });
  // @ts-expect-error time is in milliseconds, as a number
  createEngine({ clock, reader, ttlMs: '60s' });
  // @ts-expect-error no such option
  createEngine({ clock, reader, ttl: 60 });

  const answer = engine.check('user:x', 'dashboard', 'location:x', { at: 0 });
  // @ts-expect-error the answer may still be on its way: a promise is no decision
  const allowed: boolean = answer.allowed;
  // @ts-expect-error a scope belongs to every question
  engine.check('user:x', 'dashboard');
  // @ts-expect-error an instant is a number
  engine.check('user:x', 'dashboard', 'location:x', { at: new Date() });
  // @ts-expect-error a subject is named by its reference
  engine.check({ type: 'user', id: 'x' }, 'dashboard', 'location:x');
  // @ts-expect-error each request names its scope
  void engine.checkMany([{ subject: 'user:x', permission: 'dashboard' }]);
  // @ts-expect-error many answers come as a promise
  engine.checkMany([]).map((each) => each.allowed);

  // @ts-expect-error a decision is not changed afterwards
  decision.allowed = true;
  // @ts-expect-error a reason is one of those that there are
  const isMagic = decision.reason === 'magic';
  // @ts-expect-error an answer that may be undefined has no roles yet
  void engine.effectiveRoles('user:x', 'location:x').roles;
  void [allowed, isMagic];
}
