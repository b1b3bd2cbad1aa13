/** Tasks and sessions that are remembered; what is older is unknown. */
const MOST = 10_000;

/**
 * Who made what: MCP's tasks and sessions are of the subject, the actor and the mandate that made them, in this
 * process. What is not known here belongs to nobody.
 */
export function createOwnership() {
  const creators = new Map<string, string>();
  return {
    keep: (id: string, creator: string): void => {
      creators.set(id, creator);
      if (creators.size > MOST) for (const oldest of creators.keys()) return void creators.delete(oldest);
    },
    isOf: (id: unknown, creator: string): boolean => typeof id === 'string' && creators.get(id) === creator,
  };
}

export type Ownership = ReturnType<typeof createOwnership>;
