import { closingStatus, ENTITIES } from '../../table/entities/registry.ts';
import { isBuiltIn } from '../../table/entities/scope-types.ts';
import { isBuiltInSubject } from '../../table/identifiers.ts';
import type { Sent } from '../plan.ts';

/**
 * The commands that read, open and close (or disable) a scope or a subject. A type that comes with the table has commands
 * of its own; those that were added share the ones of `scope` and `subject`.
 */
export function commandsOn(
  ref: string,
  as: 'scope' | 'subject',
): Readonly<Record<'read' | 'open' | 'close', Sent>> {
  const type = ref.slice(0, Math.max(0, ref.indexOf(':')));
  const isOwn = as === 'scope' ? isBuiltIn(type) : isBuiltInSubject(type);
  const kind = isOwn ? type : as;
  const named = isOwn ? { id: ref.slice(type.length + 1) } : { [ENTITIES[as].namedIn]: ref };
  const sent = (verb: string, input = {}) => ({ command: `${kind}.${verb}`, input: { ...named, ...input } });
  return {
    read: sent('read'),
    open: sent('update', { status: 'active' }),
    close: sent('update', { status: closingStatus(kind) }),
  };
}
