import type { Call } from './call.ts';
import type { Id } from './sdk.ts';

/** A request that is not answered yet. */
export interface OpenRequest {
  /** As the client has it. */
  readonly id: Id;
  /** As the server gets it. */
  readonly ownId: string;
  readonly call: Call;
}

/**
 * The requests under way on one connection. The server gets each under an id that no other one ever has: a client may use
 * its own again when it has cancelled, and whatever comes late for the cancelled one is then no answer to another.
 */
export function createOpenRequests() {
  let last = 0;
  const byId = new Map<unknown, OpenRequest>();
  const byOwnId = new Map<unknown, OpenRequest>();
  return {
    /** Undefined while another one has this id: two answers with one id could not be told apart. */
    open: (id: Id, call: Call): OpenRequest | undefined => {
      if (byId.has(id)) return undefined;
      last += 1;
      const request = { id, ownId: `request-${last}`, call };
      byId.set(id, request);
      byOwnId.set(request.ownId, request);
      return request;
    },
    withId: (id: unknown): OpenRequest | undefined => byId.get(id),
    withOwnId: (ownId: unknown): OpenRequest | undefined => byOwnId.get(ownId),
    /** Whether it still waits for its answer. */
    isOpen: (request: OpenRequest): boolean => byId.get(request.id) === request,
    /** Nothing more of the server's is an answer to it. Its id is in use until it is closed. */
    answered: ({ ownId }: OpenRequest): void => void byOwnId.delete(ownId),
    close: ({ id, ownId }: OpenRequest): void => {
      byId.delete(id);
      byOwnId.delete(ownId);
    },
  };
}
