/** The names of resources in a manifest: each once, the first as it is. */
export interface Names {
  /** Names a resource: as wanted, or with what it is within where that name is taken. */
  readonly give: (ref: string, wanted: string, within?: string) => string;
  readonly of: (ref: unknown) => string | undefined;
  readonly refs: () => readonly string[];
}

export function createNames(): Names {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  return {
    give: (ref, wanted, within) => {
      const clean = wanted === '__proto__' ? 'proto' : wanted;
      const tries = [clean, ...(within === undefined ? [] : [`${clean} at ${within}`])];
      let name = tries.find((each) => !taken.has(each) && each.length <= 128);
      for (let number = 2; name === undefined; number++) {
        const next = `${clean.slice(0, 120)} (${number})`;
        if (!taken.has(next)) name = next;
      }
      taken.add(name);
      names.set(ref, name);
      return name;
    },
    of: (ref) => names.get(String(ref)),
    refs: () => [...names.keys()],
  };
}
