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
