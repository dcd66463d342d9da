import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/**
 * Makes this thread trust the authorities of `NODE_EXTRA_CA_CERTS`. Node reads it at its start, before `.env`.
 * @param file what the variable names; PEM
 * @returns false if it has no certificates that can be read, of which Node itself only warns
 */
export function trustExtraAuthorities(file: string): boolean {
  try {
    const found = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
    const more = found.map((each) => new X509Certificate(each).toString());
    const isKnownToNode = getCACertificates('extra').length > 0;
    if (!isKnownToNode) setDefaultCACertificates([...getCACertificates('default'), ...more]);
    return more.length > 0;
  } catch {
    return false;
  }
}
