// A REST API of the CDK with Gatehouse before it.
import { App, Duration, Fn, Stack } from 'aws-cdk-lib';
import {
  HttpIntegration,
  IdentitySource,
  RequestAuthorizer,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

const app = new App();
const stack = new Stack(app, 'shop');

const gatehouse = LambdaFunction.fromFunctionAttributes(stack, 'Gatehouse', {
  functionArn: Fn.importValue('gatehouse-live-AuthorizerArn'),
  // Its stack lets API Gateway invoke it.
  skipPermissions: true,
});

const api = new RestApi(stack, 'Api', {
  // Preflight requests carry no token: this makes OPTIONS without the authorizer.
  defaultCorsPreflightOptions: {
    allowOrigins: ['https://app.example'],
    allowMethods: ['GET'],
    allowHeaders: ['authorization', 'content-type'],
  },
});

// Without these headers a browser hides from the page that it was a 401 or a 403, or a 500 of the authorizer.
for (const type of [ResponseType.DEFAULT_4XX, ResponseType.DEFAULT_5XX])
  api.addGatewayResponse(type.responseType, {
    type,
    responseHeaders: { 'Access-Control-Allow-Origin': "'https://app.example'" },
  });

// No result cache. To turn it on: docs/attach/README.md.
const NOT_CACHED = Duration.seconds(0);

const backend = new HttpIntegration('https://backend.example/documents/{id}', {
  options: {
    requestParameters: {
      'integration.request.path.id': 'method.request.path.id',
      // Who asks, for the backend: refuse what comes without it.
      'integration.request.header.x-subject': 'context.authorizer.subject',
    },
  },
});
api.root
  .addResource('documents')
  .addResource('{id}')
  .addMethod('GET', backend, {
    requestParameters: { 'method.request.path.id': true },
    authorizer: new RequestAuthorizer(stack, 'Authorizer', {
      handler: gatehouse,
      // Without this header: 401, and the authorizer is not called.
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: NOT_CACHED,
    }),
  });

app.synth();
