import type { Inputs, Method, Reply } from '../service/index.ts';

/** Sends a call to the service, wherever it runs. By itself, so that its users need no types of the DOM. */
export type Send = <M extends Method>(method: M, input: Inputs[M]) => Promise<Reply<M>>;
