import { expect, test } from 'vitest';
import { functionArn, parseFunctionName } from '../../local/lambda/function-name.ts';

test.each([
  ['echo', 'echo', undefined],
  ['echo:prod', 'echo', 'prod'],
  ['function:echo', 'echo', undefined],
  ['123456789012:function:echo:$LATEST', 'echo', '$LATEST'],
  ['arn:aws-cn:lambda:cn-north-1:123456789012:function:echo-2_x:7', 'echo-2_x', '7'],
])('%s is the function %s with qualifier %s', (text, name, qualifier) => {
  expect(parseFunctionName(text)).toEqual({ name, qualifier });
});

test.each([
  '',
  'a b',
  'a:b:c',
  'arn:aws:s3:::bucket',
  'arn:aws:lambda:us-east-1:1:function:echo',
  'x'.repeat(141),
])('%j is not a function name', (text) => {
  expect(parseFunctionName(text)).toBeUndefined();
});

test('an ARN has the requested qualifier, if any', () => {
  const arn = 'arn:aws:lambda:us-east-1:000000000000:function:echo';
  expect(functionArn({ name: 'echo', qualifier: undefined })).toBe(arn);
  expect(functionArn({ name: 'echo', qualifier: '7' })).toBe(`${arn}:7`);
});
