import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer whose key exists in this process only. */
export interface Issuer {
  /** The public key, as a JSON Web Key Set. */
  readonly keys: string;
  /** Its name is known once it is deployed. */
  readonly setUrl: (url: string) => void;
  readonly tokenOf: (email: string) => Promise<string>;
}

const ALGORITHM = 'ES256';
const KEY_ID = 'proof';

export async function createIssuer(audience: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const key = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' };
  let issuer = '';
  return {
    keys: JSON.stringify({ keys: [key] }),
    setUrl: (url) => {
      issuer = url;
    },
    tokenOf: (email) =>
      new SignJWT({ email, email_verified: true })
        .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID })
        .setSubject(email)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('3h')
        .sign(privateKey),
  };
}
