/** The same function, which does its work once for each argument. */
export function remembered<A, R>(work: (of: A) => R): (of: A) => R {
  const known = new Map<A, R>();
  return (of) => {
    if (known.has(of)) return known.get(of) as R;
    const made = work(of);
    known.set(of, made);
    return made;
  };
}
