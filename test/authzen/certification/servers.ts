import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../cli/program.ts';
import { type Certificate, createCertificate } from '../../support/certificate.ts';
import type { World } from '../../support/world.ts';

/** A server under test, over TLS. */
export interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A certificate of this machine, as PEM and as files. */
export interface TlsFiles extends Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly remove: () => void;
}

export function createTlsFiles(): TlsFiles {
  const certificate = createCertificate();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, certificate.cert);
  writeFileSync(keyFile, certificate.key);
  return { ...certificate, certFile, keyFile, remove: () => rmSync(folder, { recursive: true }) };
}

/** `gatehouse serve`, as it is typed. */
export async function startServe(world: World, { certFile, keyFile }: TlsFiles): Promise<Server> {
  let interrupt: () => void = () => {};
  let ended: Promise<number> = Promise.resolve(0);
  const url = await new Promise<string>((resolve, reject) => {
    const errors: string[] = [];
    ended = runProgram(
      [
        ...['serve', '--table', world.table, '--endpoint', world.endpoint, '--port', '0'],
        ...['--tls-cert', certFile, '--tls-key', keyFile],
      ],
      {
        env: {},
        out: (text) => resolve(/^ready (\S+)/.exec(text)?.[1] ?? text),
        error: (text) => void errors.push(text),
        isTerminal: false,
        onInterrupt: (listener) => {
          interrupt = listener;
          return () => {};
        },
        now: Date.now,
      },
    );
    ended.then((code) => reject(new Error(`it ended with ${code}: ${errors.join('')}`)), reject);
  });
  return {
    url,
    stop: async () => {
      interrupt();
      if ((await ended) !== 0) throw new Error('it did not end well');
    },
  };
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the protocol, which the tests look into
  readonly json: any;
}

/** Sends one request over TLS. */
export const sendTo = (
  url: string,
  { cert }: Certificate,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ca: cert }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .once('end', () => {
          const text = Buffer.concat(chunks as unknown as readonly Uint8Array[]).toString();
          const isJson = answer.headers['content-type'] === 'application/json';
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: text,
            json: isJson ? JSON.parse(text) : undefined,
          });
        });
    });
    sent.once('error', reject);
    sent.end(body);
  });
