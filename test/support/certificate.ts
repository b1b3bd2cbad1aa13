import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** ASN.1 in DER (ITU-T X.690): tag, length, content. */
function der(tag: number, ...content: readonly Iterable<number>[]): Uint8Array {
  const inner = content.flatMap((part) => [...part]);
  const length = inner.length < 256 ? [inner.length] : [inner.length >> 8, inner.length & 0xff];
  const head = inner.length < 128 ? length : [0x80 + length.length, ...length];
  return Uint8Array.from([tag, ...head, ...inner]);
}
const sequence = (...content: readonly Iterable<number>[]) => der(0x30, ...content);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

const ECDSA_WITH_SHA256 = identifier('2a8648ce3d040302');
const COMMON_NAME = identifier('550403');
const SUBJECT_ALT_NAME = identifier('551d11');

/** UTCTime: without the century, to the second. */
const time = (at: number) =>
  der(0x17, Buffer.from(new Date(at).toISOString().replaceAll(/^..|[-:T]|\.\d+/g, '')));

const DAY = 86_400_000;

/**
 * A self-signed X.509 certificate (RFC 5280) of `localhost` and 127.0.0.1 for a day before and after now, which
 * the machine's TLS looks at. Node makes keys and signatures, but no certificates.
 */
export function createCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, [127, 0, 0, 1]));
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const certified = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    name,
    sequence(time(Date.now() - DAY), time(Date.now() + DAY)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  );
  const signature = sign('sha256', certified, privateKey);
  const cert = sequence(certified, algorithm, der(0x03, [0], signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${Buffer.from(cert).toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
