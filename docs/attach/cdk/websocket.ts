// A WebSocket API of the CDK with Gatehouse before its $connect.
import { App, Fn, Stack } from 'aws-cdk-lib';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import {
  WebSocketLambdaIntegration,
  WebSocketMockIntegration,
} from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';

const app = new App();
const stack = new Stack(app, 'shop');

const gatehouse = LambdaFunction.fromFunctionAttributes(stack, 'Gatehouse', {
  functionArn: Fn.importValue('gatehouse-live-AuthorizerArn'),
  // Its stack lets API Gateway invoke it.
  skipPermissions: true,
});

const messages = new LambdaFunction(stack, 'Messages', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  // Who sends: event.requestContext.authorizer.subject. It refuses what comes without it.
  code: Code.fromInline('exports.handler = async () => ({ statusCode: 200 });'),
});

const webSocketApi = new WebSocketApi(stack, 'Api', {
  connectRouteOptions: {
    integration: new WebSocketMockIntegration('Connect'),
    authorizer: new WebSocketLambdaAuthorizer('Authorizer', gatehouse, {
      // Without this header: 401, and the authorizer is not called. There is no result cache.
      identitySource: ['route.request.header.Authorization'],
    }),
  },
  // API Gateway asks the authorizer at $connect only. Each message brings what was answered then.
  defaultRouteOptions: { integration: new WebSocketLambdaIntegration('Message', messages) },
});
new WebSocketStage(stack, 'Stage', { webSocketApi, stageName: 'live', autoDeploy: true });

app.synth();
