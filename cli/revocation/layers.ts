/**
 * How long a "yes" can outlive its revocation, layer by layer (docs/freshness.md): the one place of the
 * arithmetic, for what the command line says, the document and the tests.
 */
export const DEFAULTS = {
  /** `CACHE_TTL_SECONDS`. */
  cacheTtl: 60,
  /** `CACHE_OUTAGE_TTL_SECONDS`: off. */
  outageTtl: 0,
  /** `authorizerResultTtlInSeconds` of the stack as shipped; AWS's own default is 300. */
  resultTtl: 0,
  /** API Gateway closes a WebSocket after two hours, and asks at `$connect` only. */
  webSocket: 7_200,
} as const;

export interface Times {
  /** Seconds, all of them. */
  readonly cacheTtl: number;
  readonly outageTtl: number;
  readonly resultTtl: number;
  readonly webSocket: number;
  /** The life of a JWT, where what is revoked is one that the authorizer does not look up (`REVOCATION` unset). */
  readonly jwtLife?: number | undefined;
}

export interface Layer {
  readonly layer: 'engine cache' | 'API Gateway result cache' | 'open WebSocket' | 'JWT';
  /** How much this layer adds, in seconds; nothing where it is off. */
  readonly adds: number;
  /** Until when, after the revocation, this layer may still say yes: with what is below it. In seconds. */
  readonly atMost: number;
  /** What ends it at once. */
  readonly end: string;
}

export interface Bound {
  readonly layers: readonly Layer[];
  /** The last yes to a request over HTTP, in seconds after the revocation. */
  readonly request: number;
  /** The last message on a WebSocket that was open, or opened on the last yes. */
  readonly webSocket: number;
}

/**
 * The engine answers from what it read for `cacheTtl`, and while DynamoDB is down for `outageTtl` if that is
 * longer. API Gateway keeps an answer from the moment it got it, so its time comes on top. A WebSocket that opens
 * on the last yes of the engine lives from then; API Gateway caches no answer for it. Where a JWT is accepted until
 * it expires, all of it begins at its end.
 */
export function longestYes({ cacheTtl, outageTtl, resultTtl, webSocket, jwtLife = 0 }: Times): Bound {
  const engine = Math.max(cacheTtl, outageTtl, jwtLife);
  const request = engine + resultTtl;
  const socket = engine + webSocket;
  const layers: readonly Layer[] = [
    {
      layer: 'engine cache',
      adds: Math.max(cacheTtl, outageTtl),
      atMost: Math.max(cacheTtl, outageTtl),
      end: 'ask strong, or at least as fresh as the token; a new deployment',
    },
    ...(jwtLife > 0
      ? [
          {
            layer: 'JWT' as const,
            adds: jwtLife,
            atMost: engine,
            end: 'set REVOCATION: then the bound of the engine holds',
          },
        ]
      : []),
    {
      layer: 'API Gateway result cache',
      adds: resultTtl,
      atMost: resultTtl === 0 ? 0 : request,
      end: 'REST: FlushStageAuthorizersCache; HTTP: only by waiting',
    },
    {
      layer: 'open WebSocket',
      adds: webSocket,
      atMost: webSocket === 0 ? 0 : socket,
      end: 'close it: @connections DELETE (docs/change-feed.md)',
    },
  ];
  return { layers, request, webSocket: webSocket === 0 ? 0 : socket };
}
