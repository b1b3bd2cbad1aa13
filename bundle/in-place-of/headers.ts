/** As much of Headers as is asked for where an issuer's keys are fetched. Names are kept in lower case. */
class LightHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  constructor(given: Iterable<[string, string]> | Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Symbol.iterator in given ? given : Object.entries(given))
      this.set(name, value);
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}

export { LightHeaders as Headers };
