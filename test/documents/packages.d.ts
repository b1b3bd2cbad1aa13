/** Packages that samples import and that are not installed here: what the samples use of them. */
declare module '@aws-sdk/client-apigatewaymanagementapi' {
  export class ApiGatewayManagementApiClient {
    constructor(options: { readonly endpoint: string | undefined });
    send(command: DeleteConnectionCommand): Promise<object>;
  }
  export class DeleteConnectionCommand {
    constructor(input: { readonly ConnectionId: string });
  }
  export class GoneException extends Error {}
}

declare module '@aws-lambda-powertools/event-handler/http' {
  interface RequestContext {
    readonly req: Request;
    readonly event: object;
    readonly params: Record<string, string>;
  }
  type Middleware = (args: {
    reqCtx: RequestContext;
    next: () => Promise<unknown>;
  }) => Promise<Response | object | undefined>;
  export class Router {
    get(path: string, middleware: Middleware[], handler: (reqCtx: RequestContext) => Promise<object>): void;
    resolve(event: unknown, context: unknown): Promise<object>;
  }
}
