import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { OF_PLAYGROUND, QUESTION } from './parts/fields.ts';

/** What is shown: the view, and its state as texts by name. All of it is in the address, so that a link reproduces it. */
export interface Address {
  readonly view: string;
  readonly state: Readonly<Record<string, string>>;
}

/** Changes of the state: undefined takes a name out. */
export type Patch = Readonly<Record<string, string | undefined>>;

export interface Going {
  /** Another view; the present one if left out. */
  readonly view?: string;
  /** Replaces the present entry of the history, as for each step of a slider. */
  readonly replace?: boolean;
}

export type Go = (patch: Patch, going?: Going) => void;

/** The address of the page, and how to change it. */
export interface Here extends Address {
  readonly go: Go;
}

export const AddressContext = createContext<Here>({ view: '', state: {}, go: () => undefined });

export const useAddress = (): Here => useContext(AddressContext);

/** Reads `#view?name=value&…`. */
function parseAddress(hash: string): Address {
  const [, view = '', query = ''] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  return { view, state: Object.fromEntries(new URLSearchParams(query)) };
}

/** Names of the state that stay from view to view. */
const SHARED = [...QUESTION, ...OF_PLAYGROUND];

/**
 * The address that a link leads to. What is undefined or empty in its state is left out.
 *
 * @param view another view, with what is asked now; undefined for this one, with all of its state
 */
export function linkTo(here: Address, view: string | undefined, patch: Patch = {}): string {
  const kept = Object.entries(here.state).filter(([name]) => view === undefined || SHARED.includes(name));
  const state = Object.entries({ ...Object.fromEntries(kept), ...patch });
  const query = new URLSearchParams(state.filter((entry): entry is [string, string] => Boolean(entry[1])));
  return `#${view ?? here.view}${query.size === 0 ? '' : `?${query}`}`;
}

/** Reads the address of the page, and follows it. */
export function useHash(): Here {
  const [address, setAddress] = useState(() => parseAddress(location.hash));
  useEffect(() => {
    const read = () => setAddress(parseAddress(location.hash));
    addEventListener('hashchange', read);
    addEventListener('popstate', read);
    // What changed after the first drawing and before this.
    read();
    return () => {
      removeEventListener('hashchange', read);
      removeEventListener('popstate', read);
    };
  }, []);
  const go: Go = (patch, { view, replace = false } = {}) => {
    // Several changes may come before the page is drawn anew: each one rests on the one before.
    const current = parseAddress(location.hash);
    const hash = linkTo(current, view === current.view ? undefined : view, patch);
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    setAddress(parseAddress(hash));
  };
  return { ...address, go };
}
