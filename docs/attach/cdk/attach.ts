// REST, HTTP and WebSocket APIs of the CDK with Gatehouse before them.
import { App, Duration, Fn, Stack } from 'aws-cdk-lib';
import * as rest from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
  WebSocketLambdaAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpUrlIntegration, WebSocketMockIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

const app = new App();
const stack = new Stack(app, 'shop');

const gatehouse = LambdaFunction.fromFunctionAttributes(stack, 'Gatehouse', {
  functionArn: Fn.importValue('gatehouse-live-AuthorizerArn'),
  // Its stack lets API Gateway invoke it.
  skipPermissions: true,
});

// No result cache. To turn it on: docs/attach/README.md.
const NOT_CACHED = Duration.seconds(0);

const restApi = new rest.RestApi(stack, 'RestApi');
restApi.root
  .addResource('documents')
  .addResource('{id}')
  .addMethod('GET', new rest.HttpIntegration('https://backend.example/documents'), {
    authorizer: new rest.RequestAuthorizer(stack, 'RestAuthorizer', {
      handler: gatehouse,
      // Without this header: 401, and the authorizer is not called.
      identitySources: [rest.IdentitySource.header('Authorization')],
      resultsCacheTtl: NOT_CACHED,
    }),
  });

const httpApi = new HttpApi(stack, 'HttpApi');
httpApi.addRoutes({
  path: '/documents/{id}',
  methods: [HttpMethod.GET],
  integration: new HttpUrlIntegration('Backend', 'https://backend.example/documents/{id}'),
  authorizer: new HttpLambdaAuthorizer('HttpAuthorizer', gatehouse, {
    // With HTTP_ANSWER=simple, the default of the stack; IAM with HTTP_ANSWER=policy.
    responseTypes: [HttpLambdaResponseType.SIMPLE],
    identitySource: ['$request.header.Authorization'],
    resultsCacheTtl: NOT_CACHED,
  }),
});

const webSocketApi = new WebSocketApi(stack, 'WebSocketApi', {
  connectRouteOptions: {
    integration: new WebSocketMockIntegration('Connect'),
    authorizer: new WebSocketLambdaAuthorizer('WebSocketAuthorizer', gatehouse, {
      identitySource: ['route.request.header.Authorization'],
    }),
  },
});
new WebSocketStage(stack, 'Live', { webSocketApi, stageName: 'live', autoDeploy: true });

app.synth();
