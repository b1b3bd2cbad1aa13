import type { Reason } from '../../engine/index.ts';
import type { Id, Message } from './sdk.ts';

/** Why a message is refused: a reason of the engine, or one of the guard. The codes are stable. */
export type Refusal =
  | Reason
  /** More than what is left of a mandate's budget, or an amount that is none. */
  | 'budget_spent'
  | 'budget_amount'
  /** Nothing is declared for what it names. */
  | 'unmapped'
  /** There is no such task, or another caller made it. */
  | 'task_unknown'
  /** A request with this id is not answered yet. */
  | 'id_in_use'
  /** No decision could be made: a retry may help. */
  | 'unavailable';

/** A JSON-RPC error of the guard: from -32000 to -32099 a server has its own, and no protocol version has this. */
const REFUSED = -32_003;
const INTERNAL = -32_603;

/** What handlers throw, and what is answered where no result can say it: `data.reason` has the code. */
export class RefusedError extends Error {
  readonly code: number;
  readonly data: { readonly reason: Refusal };
  constructor(reason: Refusal) {
    super(`refused: ${reason}`);
    this.code = reason === 'unavailable' ? INTERNAL : REFUSED;
    this.data = { reason };
  }
}

/** The answer to a request that is refused. */
export function refusalOf(id: Id | undefined, reason: Refusal): Message {
  const { code, message, data } = new RefusedError(reason);
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/** A result of a tool that a model can read. `_meta['gatehouse/reason']` has the code. */
export const refusedResult = (reason: Refusal) => ({
  isError: true,
  content: [{ type: 'text', text: `refused: ${reason}` }],
  _meta: { 'gatehouse/reason': reason },
});
