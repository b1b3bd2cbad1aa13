import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Fault, Inputs, Method, Reply, Results } from '../service/index.ts';
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

/** How far a call is. While it is sent again, the value before stays. */
export interface Called<T> {
  readonly isLoading: boolean;
  readonly value?: T;
  readonly error?: Fault;
  readonly retry: () => void;
}

/** Calls the service whenever the input or the table changes; nothing is sent for undefined. A late answer is dropped. */
export function useCall<M extends Method>(method: M, input: Inputs[M] | undefined): Called<Results[M]> {
  const { send, revision } = useClient();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{
    readonly key: string;
    readonly value?: Results[M];
    readonly error?: Fault;
  }>();
  const key = input === undefined ? '' : JSON.stringify([method, input]);
  const asked = `${key} ${revision} ${attempt}`;
  useEffect(() => {
    if (input === undefined) {
      setState(undefined);
      return;
    }
    let isCurrent = true;
    send(method, input).then((reply) => {
      if (!isCurrent) return;
      setState(reply.ok ? { key: asked, value: reply.result } : { key: asked, error: reply.error });
    });
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  return {
    isLoading: input !== undefined && state?.key !== asked,
    ...(state?.value === undefined || input === undefined ? {} : { value: state.value }),
    ...(state?.error === undefined || input === undefined ? {} : { error: state.error }),
    retry: () => setAttempt((before) => before + 1),
  };
}

/** A command of provisioning that reads, as {@link useCall}: a refusal is an error. */
export function useCommand(
  command: string,
  input: Readonly<Record<string, unknown>> | undefined,
): Called<Readonly<Record<string, unknown>>> {
  const called = useCall('command', input && { command, input: { ...input } });
  const { value: answer, ...rest } = called;
  if (answer === undefined) return rest;
  return answer.ok ? { ...rest, value: answer.result } : { ...rest, error: answer.error };
}
