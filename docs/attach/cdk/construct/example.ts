// The whole of Gatehouse, and an HTTP API behind it, in one stack of the CDK.
import { App, Stack } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  MappingValue,
  ParameterMapping,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { GatehouseAuthorizer } from 'gatehouse-authz-cdk';

const app = new App();
const stack = new Stack(app, 'shop');

const gatehouse = new GatehouseAuthorizer(stack, 'Gatehouse', {
  tokenIssuer: 'https://issuer.example',
  tokenAudience: 'https://api.example',
});

const api = new HttpApi(stack, 'Api', {
  corsPreflight: {
    allowOrigins: ['https://app.example'],
    allowMethods: [CorsHttpMethod.GET],
    allowHeaders: ['authorization', 'content-type'],
  },
});
api.addRoutes({
  path: '/documents/{id}',
  methods: [HttpMethod.GET],
  authorizer: gatehouse.httpAuthorizer('Authorizer'),
  integration: new HttpUrlIntegration('Backend', 'https://backend.example/documents/{id}', {
    parameterMapping: new ParameterMapping().overwriteHeader(
      'x-subject',
      MappingValue.contextVariable('authorizer.subject'),
    ),
  }),
});

app.synth();
