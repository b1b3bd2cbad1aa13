// An HTTP API of the CDK with Gatehouse before it.
import { App, Duration, Fn, Stack } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  MappingValue,
  ParameterMapping,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

const app = new App();
const stack = new Stack(app, 'shop');

const gatehouse = LambdaFunction.fromFunctionAttributes(stack, 'Gatehouse', {
  functionArn: Fn.importValue('gatehouse-live-AuthorizerArn'),
  // Its stack lets API Gateway invoke it.
  skipPermissions: true,
});

const api = new HttpApi(stack, 'Api', {
  // API Gateway answers preflight requests itself: they carry no token, and no authorizer sees them.
  corsPreflight: {
    allowOrigins: ['https://app.example'],
    allowMethods: [CorsHttpMethod.GET],
    allowHeaders: ['authorization', 'content-type'],
    maxAge: Duration.minutes(10),
  },
});

// No result cache. To turn it on: docs/attach/README.md.
const NOT_CACHED = Duration.seconds(0);

api.addRoutes({
  path: '/documents/{id}',
  methods: [HttpMethod.GET],
  integration: new HttpUrlIntegration('Backend', 'https://backend.example/documents/{id}', {
    // Who asks, for the backend: refuse what comes without it.
    parameterMapping: new ParameterMapping().overwriteHeader(
      'x-subject',
      MappingValue.contextVariable('authorizer.subject'),
    ),
  }),
  authorizer: new HttpLambdaAuthorizer('Authorizer', gatehouse, {
    // With HTTP_ANSWER=simple, the default of the stack; IAM with HTTP_ANSWER=policy.
    responseTypes: [HttpLambdaResponseType.SIMPLE],
    // Without this header: 401, and the authorizer is not called.
    identitySource: ['$request.header.Authorization'],
    resultsCacheTtl: NOT_CACHED,
  }),
});

app.synth();
