import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Reply, Results } from '../service/index.ts';
import type { Send } from './send.ts';

export type { Send };

/** The service is not there: the process has ended, or the session has. */
export const unreachable = (message: string): Reply & { readonly ok: false } => ({
  ok: false,
  error: { code: 'transient', message, retryable: true },
});

/** The service behind HTTP, at addresses relative to the page. */
export const sendOverHttp: Send = async (method, input) => {
  let response: Response;
  try {
    response = await fetch(`api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gatehouse-explorer': '1' },
      body: JSON.stringify(input),
    });
  } catch {
    return unreachable('the explorer does not answer: is it still running? Start it again and open its link');
  }
  if (response.status === 401)
    return unreachable('this session has ended: start the explorer again and open its link');
  try {
    return await response.json();
  } catch {
    return unreachable(`the explorer answered ${response.status} without a reason`);
  }
};

/** What every part of the page may use. */
export interface Client {
  readonly send: Send;
  /** Rises whenever the table has changed: what was asked is asked again. */
  readonly revision: number;
  /** Says that a command of this page has changed the table. */
  readonly changed: () => void;
  readonly about: Results['about'];
  /** The text of the manifest that the table follows: in the playground. */
  readonly manifest?: string;
}

export const ClientContext = createContext<Client | undefined>(undefined);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error('there is no client');
  return client;
}

/** Epoch milliseconds, as of the last change of the table. */
export function useNow(): number {
  const { revision } = useClient();
  return useMemo(() => Date.now(), [revision]);
}
