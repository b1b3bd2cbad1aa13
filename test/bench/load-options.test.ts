import { describe, expect, test } from 'vitest';
import { Misuse, readLoadRequest, readPaths, readTokens } from '../../bench/load/options.ts';

const API = ['--url', 'https://api.example/v1', '--token-file', 'tokens', '--path', '/reports'];
const read = (...words: readonly string[]) => readLoadRequest([...API, ...words]);

test('defaults to a small load', () => {
  expect(read()).toMatchObject({
    rate: 50,
    seconds: 30,
    connections: 50,
    mostErrors: 0.01,
    timeoutMs: 10_000,
  });
  expect(readLoadRequest([])).toMatchObject({ url: undefined, rate: 50, seconds: 30 });
  expect(readLoadRequest(['--help'])).toBeUndefined();
});

describe('wrong options get one line that says what to do', () => {
  test.each([
    [['--rate', '201'], '--rate 201 is more than 200: if you mean it, add --yes'],
    [['--seconds', '301'], '--seconds 301 is more than 300: if you mean it, add --yes'],
    [['--connections', '101'], '--connections 101 is more than 100: if you mean it, add --yes'],
    [['--rate', '5001', '--yes'], '--rate is not a number from 0.1 to 5000'],
    [['--rate', '5000', '--seconds', '3600', '--yes'], 'are more than 2000000 requests'],
    [['--rate', 'many'], '--rate is not a number'],
    [['--rate', ''], '--rate is not a number'],
    [['--rate', '0'], '--rate is not a number'],
    [['--arrivals', 'bursts'], 'neither poisson nor constant'],
    [['--path', 'reports'], '--path reports is no path'],
    [['--path', '/a b'], 'is no path'],
    [['--tokens', 'x'], "Unknown option '--tokens'; --help tells the options"],
    [['stray'], "Unexpected argument 'stray'"],
  ])('%j', (words, line) => {
    expect(() => read(...words)).toThrow(line);
    expect(() => read(...words)).toThrow(Misuse);
  });

  test.each([
    [['--url', 'https://api.example', '--path', '/a'], '--url needs --token-file: one token per line'],
    [['--url', 'https://api.example', '--token-file', 'x'], '--url needs --path or --path-file'],
    [['--url', 'api.example', '--token-file', 'x', '--path', '/a'], '--url is not the URL of an API'],
    [['--url', 'http://api.example', '--token-file', 'x', '--path', '/a'], 'not sent in the clear'],
    [['--url', 'https://me:secret@api.example'], '--url takes no credentials'],
    [['--token-file', 'x'], '--token-file, --path and --path-file need --url'],
  ])('%j', (words, line) => {
    expect(() => readLoadRequest(words)).toThrow(line);
  });
});

test('larger loads need --yes', () => {
  const words = ['--rate', '1000', '--seconds', '600', '--connections', '300', '--yes'];
  expect(read(...words)).toMatchObject({ rate: 1_000, seconds: 600, connections: 300 });
});

test('http is accepted for this machine', () => {
  for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'])
    expect(readLoadRequest([...API, '--url', `http://${host}`])?.url?.host).toBe(host);
});

test('tokens and paths come one per line, and no error contains a token', () => {
  expect(readTokens('one\r\n\n two \n', 'tokens')).toEqual(['one', 'two']);
  expect(() => readTokens('\n', 'tokens')).toThrow('--token-file tokens holds no token');
  const problem = () => readTokens('one\nBearer secret\n', 'tokens');
  expect(problem).toThrow('tokens:2 is no token');
  expect(problem).not.toThrow('secret');
  expect(readPaths('/a\n/b?c=d\n', 'paths')).toEqual(['/a', '/b?c=d']);
  expect(() => readPaths('/a\nb\n', 'paths')).toThrow('paths:2 is no path');
});
