import type { Caller } from '../caller.ts';
import { type AdmissionParts, createAdmission, isAsIs, mayLeave } from './admission.ts';
import { type Call, keepCall, noteAllowed } from './call.ts';
import { createOpenRequests } from './open-requests.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type Message, type MessageExtra, type Send, type SendOptions, withoutToken } from './sdk.ts';

export interface GateParts extends AdmissionParts {
  readonly identified: (extra: MessageExtra) => Promise<Caller>;
}

const CANCELLED = 'notifications/cancelled';

/**
 * What of a client's messages reaches the server of one connection, and what of its answers leaves. A request has one
 * answer, which leaves if it was admitted.
 */
export function createMessageGate({ identified, ...parts }: GateParts) {
  const { refusalFor } = parts;
  const { refusalBefore, answerOf } = createAdmission(parts);
  const requests = createOpenRequests();

  /** What the server says in the stream of a request goes into the client's. */
  function related(options: SendOptions | undefined): SendOptions | undefined {
    const request = requests.withOwnId(options?.relatedRequestId);
    return request ? { ...options, relatedRequestId: request.id } : options;
  }

  return {
    receive: (message: Message, extra: MessageExtra, next: Receive, reply: Send): void => {
      const { id, method, params = {} } = message;
      const handed = withoutToken(extra);
      if (method === CANCELLED) {
        const request = requests.withId(params.requestId);
        if (request === undefined) return;
        requests.close(request);
        next({ ...message, params: { ...params, requestId: request.ownId } }, handed);
        return;
      }
      if (method === undefined || id === undefined) {
        next(message, handed);
        return;
      }
      let found: Promise<Caller> | undefined;
      const call: Call = {
        method,
        params,
        caller: () => {
          found ??= identified(extra);
          return found;
        },
        allowed: undefined,
        refusal: undefined,
        onAllowed: (asked) => noteAllowed(extra, asked),
      };
      const request = requests.open(id, call);
      if (request === undefined) {
        void reply(refusalOf(id, 'id_in_use'));
        return;
      }
      keepCall(handed.authInfo, call);
      const go = (reason: Refusal | undefined): void => {
        if (!requests.isOpen(request)) return;
        if (reason === undefined) next({ ...message, id: request.ownId }, handed);
        else {
          requests.close(request);
          void reply(refusalOf(id, reason));
        }
      };
      const refused = refusalBefore(call);
      if (refused instanceof Promise) void refused.catch(refusalFor).then(go);
      else go(refused);
    },
    send: (message: Message, options: SendOptions | undefined, next: Send): Promise<void> => {
      if (message.method !== undefined) return next(message, related(options));
      const request = requests.withOwnId(message.id);
      if (request === undefined) return Promise.resolve();
      requests.answered(request);
      const { call, id } = request;
      const answer = { ...message, id };
      const leave = (last: Message): Promise<void> => {
        // Its client has cancelled it, and may have used its id again.
        if (!requests.isOpen(request)) return Promise.resolve();
        requests.close(request);
        return next(last, options);
      };
      if (message.error) return leave(call.refusal ? refusalOf(id, call.refusal) : answer);
      if (!mayLeave(call, answer)) return leave(refusalOf(id, call.refusal ?? 'unmapped'));
      return isAsIs(call, answer) ? leave(answer) : answerOf(call, answer).then(leave);
    },
  };
}

type Receive = (message: Message, extra?: MessageExtra) => void;
