/** How long an Allow can outlive its revocation, layer by layer (docs/freshness.md). */
export const REVOCATION_DEFAULTS = {
  /** `CACHE_TTL_SECONDS`. */
  cacheTtl: 60,
  /** `CACHE_OUTAGE_TTL_SECONDS`: off. */
  outageTtl: 0,
  /** `authorizerResultTtlInSeconds` of the stack as shipped; AWS's own default is 300. */
  resultTtl: 0,
  /** API Gateway closes a WebSocket after two hours, and asks at `$connect` only. */
  webSocket: 7_200,
} as const;

export interface RevocationTimes {
  /** Seconds, all of them. */
  readonly cacheTtl: number;
  readonly outageTtl: number;
  readonly resultTtl: number;
  readonly webSocket: number;
  /** The life of a JWT, where what is revoked is one that the authorizer does not look up (`REVOCATION` unset). */
  readonly jwtLife?: number | undefined;
}

interface Layer {
  readonly layer: 'engine cache' | 'API Gateway result cache' | 'open WebSocket' | 'JWT';
  /** How much this layer adds, in seconds; 0 where it is off. */
  readonly adds: number;
  /** For how long after the revocation this layer may still allow, with the layers below it. In seconds. */
  readonly atMost: number;
  /** How to end it at once. */
  readonly end: string;
}

export interface RevocationBound {
  readonly layers: readonly Layer[];
  /** The last HTTP request that is allowed, in seconds after the revocation. */
  readonly request: number;
  /** The last message on a WebSocket that was open, or opened with the last Allow. */
  readonly webSocket: number;
}

/**
 * The engine decides from cached reads for `cacheTtl`, and while DynamoDB is down for `outageTtl` if that is longer.
 * API Gateway keeps an answer from the moment it gets it, so its time is added. A WebSocket that opens with the last
 * Allow of the engine lives from then; API Gateway caches no answer for it. A JWT that is accepted until it expires
 * extends the engine's time.
 */
export function revocationBound({
  cacheTtl,
  outageTtl,
  resultTtl,
  webSocket,
  jwtLife = 0,
}: RevocationTimes): RevocationBound {
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
            end: 'set REVOCATION: then the bound of the engine applies',
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
