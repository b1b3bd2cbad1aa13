/**
 * What the user may do at a scope, for drawing menus and buttons in a browser. It never enforces: whoever runs
 * the page can change it. Every route that it hides must be guarded where it runs (`gatehouse-authz/middleware`,
 * or the authorizer).
 */

/** What the client needs of `fetch`. */
export type Fetch = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string },
) => Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>;

type Headers = Readonly<Record<string, string>>;

export interface PermissionsOptions {
  /** The permissions endpoint of the middleware, or `/_dev/permissions` of the local stack. */
  readonly url: string;
  /** Headers of every request, such as `authorization`; a function is called for each. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Epoch milliseconds. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** An object of the application that conditions look at. */
export interface Resource {
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** What was loaded. Each change makes a new object, as React's `useSyncExternalStore` asks. */
export interface PermissionsState {
  /** The scope that was loaded last, or is being loaded; undefined before the first, and after `clear`. */
  readonly scope: string | undefined;
  readonly isLoading: boolean;
  /** What the last load failed with; then nothing is allowed. */
  readonly error: unknown;
}

export interface Permissions<Permission extends string = string> {
  /**
   * Loads what the user may do at a scope (`location:01J…`). Of several loads the one that was called last
   * counts. Until it ends, nothing is allowed at another scope than before.
   *
   * Rejects if it fails; then nothing is allowed. It resolves if another load replaces it.
   */
  readonly load: (scope: string) => Promise<void>;
  /**
   * Whether the permission is allowed at the loaded scope, whatever the request or an object is like. False
   * while nothing is loaded, and when the snapshot has expired: then it is loaded again, once.
   */
  readonly can: (permission: Permission) => boolean;
  /** Whether a condition decides about the permission, so that only `ask` knows. */
  readonly dependsOn: (permission: Permission) => boolean;
  /** Asks the server whether the permission is allowed now, for an object. False if that cannot be had. */
  readonly ask: (permission: Permission, resource?: Resource) => Promise<boolean>;
  /** Forgets everything, when the user signs out or in. */
  readonly clear: () => void;
  /** Calls the listener after every change. Returns a function that ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly state: () => PermissionsState;
}

interface Loaded {
  readonly allowed: ReadonlySet<unknown>;
  readonly asked: ReadonlySet<unknown>;
  readonly until: number;
}

/** Pages of one snapshot, each of some hundred permissions. */
const MAX_PAGES = 20;

/** Makes a client. It loads nothing by itself, and it never polls. */
export function createPermissions<Permission extends string = string>(
  options: PermissionsOptions,
): Permissions<Permission> {
  const { url, headers = {}, fetch = globalThis.fetch as unknown as Fetch, now = Date.now } = options;
  const listeners = new Set<() => void>();
  let state: PermissionsState = { scope: undefined, isLoading: false, error: undefined };
  let loaded: Loaded | undefined;
  /** Counts loads: only the last one counts. */
  let turn = 0;

  const set = (changes: Partial<PermissionsState>): void => {
    state = { ...state, ...changes };
    for (const listener of [...listeners]) listener();
  };

  const request = async (address: string, body?: object): Promise<Record<string, unknown>> => {
    const own = typeof headers === 'function' ? await headers() : headers;
    const json = body && { 'content-type': 'application/json' };
    const init = { method: body ? 'POST' : 'GET', headers: { ...own, ...json } };
    const answer = await fetch(address, body ? { ...init, body: JSON.stringify(body) } : init);
    if (!answer.ok) throw new Error(`permissions: ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  };

  async function snapshot(scope: string): Promise<Loaded> {
    const allowed = new Set<unknown>();
    const asked = new Set<unknown>();
    const address = `${url}${url.includes('?') ? '&' : '?'}scope=${encodeURIComponent(scope)}`;
    let until = Number.POSITIVE_INFINITY;
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const since = now();
      const next = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const answer = await request(address + next);
      if (answer.scope !== scope) throw new Error('permissions: an answer for another scope');
      for (const name of answer.permissions as unknown[]) allowed.add(name);
      for (const name of answer.ask as unknown[]) asked.add(name);
      // Only lengths of time are taken from the server: the clocks may differ. An answer without them: NaN.
      until = Math.min(until, since + (Number(answer.expiresAt) - Number(answer.issuedAt)));
      cursor = answer.cursor;
      if (cursor) continue;
      // Kept, it would be loaded again by whoever asks, without an end.
      if (!(now() < until)) throw new Error('permissions: an answer that has expired');
      return { allowed, asked, until };
    }
    throw new Error('permissions: too many pages');
  }

  /** @param isQuiet called while something is drawn: listeners are told at the end alone */
  async function load(scope: string, isQuiet = false): Promise<void> {
    const mine = ++turn;
    if (scope !== state.scope) loaded = undefined;
    if (isQuiet) state = { ...state, isLoading: true };
    else set({ scope, isLoading: true, error: undefined });
    try {
      const found = await snapshot(scope);
      if (mine !== turn) return;
      loaded = found;
      set({ isLoading: false, error: undefined });
    } catch (error) {
      if (mine !== turn) return;
      loaded = undefined;
      set({ isLoading: false, error });
      throw error;
    }
  }

  /** What is loaded and has not expired. What has expired is loaded again, once. */
  const current = (): Loaded | undefined => {
    if (!loaded || now() < loaded.until) return loaded;
    loaded = undefined;
    if (state.scope !== undefined && !state.isLoading) load(state.scope, true).catch(() => undefined);
    return undefined;
  };

  return {
    load: (scope) => load(scope),
    can: (permission) => current()?.allowed.has(permission) === true,
    dependsOn: (permission) => current()?.asked.has(permission) === true,
    ask: async (permission, resource) => {
      const [{ scope }, mine] = [state, turn];
      if (scope === undefined) return false;
      try {
        const { allowed } = await request(url, { permission, scope, resource });
        return allowed === true && mine === turn;
      } catch {
        return false;
      }
    },
    clear: () => {
      turn++;
      loaded = undefined;
      set({ scope: undefined, isLoading: false, error: undefined });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
  };
}
