import type { Header } from './headers.ts';

/** A request as API Gateway describes it to an authorizer, whatever the kind of the API. */
export interface GatewayRequest {
  readonly kind: 'http' | 'rest-request' | 'rest-token';
  /** The ARN of what is being called: `methodArn`, or `routeArn` of an HTTP API. */
  readonly arn: string;
  /** The verb that API Gateway routed. */
  readonly method: string;
  /** As it came, without the stage. */
  readonly path: string;
  /** The values of the Authorization header. */
  readonly authorization: readonly string[];
  readonly header: Header;
}
