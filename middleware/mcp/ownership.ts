/** Tasks and sessions that are remembered; what is older is unknown. */
const MOST = 10_000;

/**
 * Who made what: MCP's tasks and sessions are of the subject, the actor and the mandate that made them, in this
 * process. What is not known here belongs to nobody.
 */
export function createOwnership<T>() {
  const owned = new Map<string, { readonly creator: string; readonly made: T }>();
  return {
    /** @param made what is kept of it */
    keep: (id: string, creator: string, made: T): void => {
      owned.set(id, { creator, made });
      if (owned.size > MOST) for (const oldest of owned.keys()) return void owned.delete(oldest);
    },
    /** Undefined for what others made. */
    find: (id: unknown, creator: string): T | undefined => {
      const found = typeof id === 'string' ? owned.get(id) : undefined;
      return found?.creator === creator ? found.made : undefined;
    },
  };
}

export type Ownership<T> = ReturnType<typeof createOwnership<T>>;
