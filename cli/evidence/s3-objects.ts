import type { Readable } from 'node:stream';
import { defined } from '../../table/defined.ts';
import { ConnectionError } from '../connection.ts';
import { UsageError } from '../context.ts';
import { sentenceOf } from '../faults.ts';

/** Objects of a bucket, as Firehose writes them under a prefix. */

export interface S3Object {
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

export const isS3 = (name: string): boolean => name.startsWith('s3://');

/**
 * The objects under `s3://BUCKET/PREFIX` that were written from an instant on: what an object holds is older than it.
 *
 * @param from epoch milliseconds
 * @throws UsageError, and ConnectionError with what to do
 */
export async function listObjects(
  name: string,
  { region, from }: { readonly region: string | undefined; readonly from: number },
): Promise<readonly S3Object[]> {
  const [, Bucket, Prefix = ''] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(.*))?$/s.exec(name) ?? [];
  if (Bucket === undefined) throw new UsageError(`${name} is not s3://BUCKET/PREFIX`);
  // Only this needs the client, and loading it takes time.
  const { GetObjectCommand, paginateListObjectsV2, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...defined({ region }), followRegionRedirects: true });
  const fault = (error: unknown): Error =>
    new ConnectionError(
      sentenceOf(error, {
        service: 'S3',
        endpoint: undefined,
        endpointOption: 'AWS_ENDPOINT_URL_S3',
        missing: `there is no bucket ${Bucket}`,
        forbidden: `these AWS credentials may not read ${name}: it takes s3:ListBucket and s3:GetObject`,
      }) ?? `${name} cannot be read: ${(error as Error).message}`,
      { cause: error },
    );
  const objects: S3Object[] = [];
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
      for (const { Key = '', Size = 0, LastModified } of Contents)
        if (Size > 0 && (LastModified?.getTime() ?? from) >= from)
          objects.push({
            name: `s3://${Bucket}/${Key}`,
            bytes: Size,
            open: async () => {
              const { Body } = await client
                .send(new GetObjectCommand({ Bucket, Key }))
                .catch((error: unknown) => {
                  throw fault(error);
                });
              return Body as Readable;
            },
          });
  } catch (error) {
    throw fault(error);
  }
  return objects;
}
