import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Aws, CfnStack, Duration, Token } from 'aws-cdk-lib';
import { IdentitySource, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
  WebSocketLambdaAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { CfnPermission, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { parse } from 'yaml';

interface Template {
  readonly Parameters: Record<string, unknown>;
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

export interface GatehouseAuthorizerProps {
  /** Whose tokens are accepted: the `iss` of their JWTs, an https URL. */
  readonly tokenIssuer: string;
  /** For which audience: the `aud` of their JWTs. */
  readonly tokenAudience: string;
  /** All other parameters of the stack by their names, as `{ DeletionProtection: 'false' }` (docs/deployment.md). */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * The stack of the package `gatehouse-authz`, with its table, authorizer and provisioning, nested in yours: its own
 * `template.yaml`, so the resources are those that SAM deploys. The package must be installed where the app can import it.
 */
export class GatehouseAuthorizer extends Construct {
  /** What APIs call: let authorizers below be made of it. Its permission is in the stack. */
  readonly function: IFunction;
  private readonly stack: CfnStack;

  constructor(
    scope: Construct,
    id: string,
    { tokenIssuer, tokenAudience, parameters }: GatehouseAuthorizerProps,
  ) {
    super(scope, id);
    const folder = dirname(createRequire(import.meta.url).resolve('gatehouse-authz/package.json'));
    const template: Template = parse(readFileSync(join(folder, 'template.yaml'), 'utf8'));
    let bucket: string | undefined;
    // `sam package` uploads these folders; here the CDK does.
    for (const [name, { Type, Properties }] of Object.entries(template.Resources)) {
      if (Type !== 'AWS::Serverless::Function') continue;
      const code = new Asset(this, `${name}Code`, { path: join(folder, String(Properties.CodeUri)) });
      Properties.CodeUri = { Bucket: { Ref: 'CodeBucket' }, Key: code.s3ObjectKey };
      // The names of nested stacks are too long to be a part of it.
      delete Properties.FunctionName;
      bucket = code.s3BucketName;
    }
    template.Parameters.CodeBucket = { Type: 'String' };
    const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'template.json');
    writeFileSync(file, JSON.stringify(template));
    this.stack = new CfnStack(this, 'Stack', {
      templateUrl: new Asset(this, 'Template', { path: file }).httpUrl,
      parameters: {
        ...parameters,
        TokenIssuer: tokenIssuer,
        TokenAudience: tokenAudience,
        ...(bucket === undefined ? {} : { CodeBucket: bucket }),
      },
    });
    this.function = LambdaFunction.fromFunctionAttributes(this, 'Function', {
      functionArn: this.output('AuthorizerArn'),
      skipPermissions: true,
    });
  }

  /** An output of the stack, as `TableName` or `ProvisioningArn`. */
  output(name: string): string {
    return Token.asString(this.stack.getAtt(`Outputs.${name}`));
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
