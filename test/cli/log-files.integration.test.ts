import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readLogFiles } from '../../cli/evidence/log-files.ts';
import { decisionLine } from '../provisioning/evidence/lines.ts';
import { listen } from '../support/listening.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-logs-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const lines = (...sequences: readonly number[]): string =>
  sequences.map((sequence) => `${decisionLine({ sequence })}\n`).join('');

/** The sequence numbers that are read, in order of size, and what is said of the reading. */
async function read(names: readonly string[], from = 0) {
  const found: number[] = [];
  const shown: string[] = [];
  let [calls, damaged] = [0, 0];
  await readLogFiles(names, {
    context: { isErrorTerminal: true, error: (text) => shown.push(text), now: () => ++calls * 1_000 },
    region: 'eu-central-1',
    from,
    onRecord: (record) => {
      if (record.is === 'damaged') damaged += 1;
      if (record.is === 'decision' && record.sequence !== undefined) found.push(record.sequence);
    },
  });
  return { found: found.sort((a, b) => a - b), shown, damaged };
}

describe('decision logs on this machine', () => {
  test('a file, a packed file and all that is in a folder, each once', async () => {
    mkdirSync(join(folder, '2026/11'), { recursive: true });
    writeFileSync(join(folder, 'a.jsonl'), lines(1, 2));
    writeFileSync(join(folder, '2026/b.gz'), gzipSync(lines(3)));
    // Firehose puts packed records one after the other into an object.
    writeFileSync(join(folder, '2026/11/c'), Buffer.concat([gzipSync(lines(4)), gzipSync(lines(5, 6))]));
    expect((await read([folder, join(folder, 'a.jsonl')])).found).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('lines that are cut between chunks, and a last one without an end', async () => {
    const all = Array.from({ length: 3_000 }, (_, position) => position + 1);
    writeFileSync(join(folder, 'long'), lines(...all).trimEnd());
    expect((await read([join(folder, 'long')])).found).toEqual(all);
  });

  test('what cannot be read is counted, what is something else is not', async () => {
    const cut = lines(3).slice(0, -30);
    writeFileSync(join(folder, 'a'), `START RequestId: 1\n${lines(1)}${cut}\n\n${lines(2)}`);
    expect(await read([folder])).toMatchObject({ found: [1, 2], damaged: 1 });
  });

  test('a terminal sees how far it is', async () => {
    writeFileSync(join(folder, 'a'), lines(1));
    const { shown } = await read([folder]);
    expect(shown.at(-1)).toBe('\r\u001b[K');
    writeFileSync(join(folder, 'b'), lines(...Array.from({ length: 2_000 }, () => 1)));
    expect((await read([folder])).shown.join('')).toMatch(/\[=+ *\] \d+ % {2}\d+ lines/);
  });

  test.each([
    [
      'no line of it is of a decision log',
      '{"message":"fault"}\n',
      /none of the 1 lines in .* is of a decision log/,
    ],
    ['a packed file that ends early', gzipSync(lines(1, 2)).subarray(0, 60), /is no whole gzip file/],
    ['a line of a mebibyte', 'x'.repeat(1_100_000), /has a line that is longer than 1048576 bytes/],
  ])('%s', async (_, text, message) => {
    writeFileSync(join(folder, 'a'), text);
    await expect(read([join(folder, 'a')])).rejects.toThrow(message);
  });

  test('a file that is not there', async () => {
    await expect(read([join(folder, 'none')])).rejects.toThrow(/none: there is no such file/);
  });
});

describe('decision logs in S3', () => {
  const AT = Date.parse('2026-11-20T00:00:00Z');
  /** A bucket: two pages of a list, then objects. */
  async function bucket(
    objects: Readonly<Record<string, { readonly body: Uint8Array; readonly at: number }>>,
  ) {
    const asked: string[] = [];
    const names = Object.keys(objects);
    const url = await listen((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
      asked.push(pathname);
      if (!pathname.startsWith('/logs')) {
        response.writeHead(404).end('<Error><Code>NoSuchBucket</Code><Message>no</Message></Error>');
        return;
      }
      if (searchParams.get('list-type') === '2') {
        const start = Number(searchParams.get('continuation-token') ?? 0);
        const isLast = start + 1 >= names.length;
        const name = names[start] ?? '';
        const { body, at } = objects[name] ?? { body: new Uint8Array(), at: 0 };
        const next = isLast ? '' : `<NextContinuationToken>${start + 1}</NextContinuationToken>`;
        response.end(
          `<?xml version="1.0"?><ListBucketResult><IsTruncated>${!isLast}</IsTruncated>${next}<Contents><Key>${name}</Key><Size>${body.length}</Size><LastModified>${new Date(at).toISOString()}</LastModified></Contents></ListBucketResult>`,
        );
        return;
      }
      response.end(objects[decodeURIComponent(pathname.slice('/logs/'.length))]?.body);
    });
    vi.stubEnv('AWS_ENDPOINT_URL_S3', url);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    return asked;
  }

  test('all objects under a prefix, page by page; those from before the period are not fetched', async () => {
    const asked = await bucket({
      'decisions/2026/08/01/a.gz': { body: gzipSync(lines(1)), at: AT - 1 },
      'decisions/2026/11/20/b c.gz': { body: gzipSync(lines(2, 3)), at: AT },
      'decisions/2026/11/21/c': { body: Buffer.from(lines(4)), at: AT + 1 },
    });
    expect((await read(['s3://logs/decisions/'], AT)).found).toEqual([2, 3, 4]);
    expect(asked.filter((path) => path.includes('a.gz'))).toEqual([]);
  });

  test('a bucket that is not there', async () => {
    await bucket({});
    await expect(read(['s3://other/x'])).rejects.toThrow('there is no bucket other');
  });

  test('a name that is none', async () => {
    await expect(read(['s3://'])).rejects.toThrow('s3:// is not s3://BUCKET/PREFIX');
  });
});
