import type { Inputs, Method, Reply } from '../service/index.ts';

/** Sends a call to the service, wherever it runs. */
export type Send = <M extends Method>(method: M, input: Inputs[M]) => Promise<Reply<M>>;
