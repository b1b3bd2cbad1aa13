import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Aws, Duration, Token } from 'aws-cdk-lib';
import { IdentitySource, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
  WebSocketLambdaAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { CfnPermission, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnFunction } from 'aws-cdk-lib/aws-sam';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct } from 'constructs';

export interface GatehouseAuthorizerProps {
  /** Whose tokens are accepted: the `iss` of their JWTs, an https URL. */
  readonly tokenIssuer: string;
  /** For which audience: the `aud` of their JWTs. */
  readonly tokenAudience: string;
  /** All other parameters of the stack by their names, as `{ DeletionProtection: 'false' }` (docs/deployment.md). */
  readonly parameters?: Readonly<Record<string, string | number>>;
}

/**
 * The stack of the package `gatehouse-authz`, with its table, authorizer and provisioning: its own `template.yaml`, so the
 * resources are those that SAM deploys. The package must be installed where the app can import it.
 */
export class GatehouseAuthorizer extends Construct {
  /** What APIs call: let authorizers below be made of it. Its permission is in the stack. */
  readonly function: IFunction;
  private readonly template: CfnInclude;

  constructor(
    scope: Construct,
    id: string,
    { tokenIssuer, tokenAudience, parameters }: GatehouseAuthorizerProps,
  ) {
    super(scope, id);
    const folder = dirname(createRequire(import.meta.url).resolve('gatehouse-authz/package.json'));
    this.template = new CfnInclude(this, 'Template', {
      templateFile: join(folder, 'template.yaml'),
      parameters: { ...parameters, TokenIssuer: tokenIssuer, TokenAudience: tokenAudience },
      preserveLogicalIds: false,
    });
    // `sam package` uploads these folders; here the CDK does.
    for (const each of this.template.node.findAll())
      if (each instanceof CfnFunction && typeof each.codeUri === 'string') {
        const code = new Asset(this, `${each.node.id}Code`, { path: join(folder, each.codeUri) });
        each.codeUri = { bucket: code.s3BucketName, key: code.s3ObjectKey };
      }
    this.function = LambdaFunction.fromFunctionAttributes(this, 'Function', {
      functionArn: this.output('AuthorizerArn'),
      skipPermissions: true,
    });
  }

  /** An output of the stack, as `TableName` or `ProvisioningArn`. */
  output(name: string): string {
    return Token.asString(this.template.getOutput(name).value);
  }

  /** For a REST API of this account and region; each needs one of its own, by its id. */
  restAuthorizer(id: string): RequestAuthorizer {
    return new RequestAuthorizer(this, id, {
      handler: this.function,
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: Duration.seconds(0),
    });
  }

  /** For an HTTP API. */
  httpAuthorizer(id: string): HttpLambdaAuthorizer {
    return new HttpLambdaAuthorizer(id, this.function, {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      identitySource: ['$request.header.Authorization'],
      resultsCacheTtl: Duration.seconds(0),
    });
  }

  /** For `$connect` of a WebSocket API. */
  webSocketAuthorizer(id: string): WebSocketLambdaAuthorizer {
    return new WebSocketLambdaAuthorizer(id, this.function, {
      identitySource: ['route.request.header.Authorization'],
    });
  }

  /** Lets the authorizers of an API of another account or region invoke. Give it the authorizer's ARN there. */
  allowApi(apiId: string, { account = Aws.ACCOUNT_ID, region = Aws.REGION } = {}): void {
    new CfnPermission(this, `Api${apiId}`, {
      functionName: this.function.functionArn,
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      sourceArn: `arn:${Aws.PARTITION}:execute-api:${region}:${account}:${apiId}/authorizers/*`,
    });
  }
}
