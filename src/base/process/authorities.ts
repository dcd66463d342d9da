import { existsSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/**
 * Makes this thread trust the authorities of `NODE_EXTRA_CA_CERTS`. Node reads it at its start, before `.env`.
 * @param file what the variable names; PEM
 * @returns false if the file isn't there
 */
export function trustExtraAuthorities(file: string): boolean {
  if (!existsSync(file)) return false;
  const isKnownToNode = getCACertificates('extra').length > 0;
  if (isKnownToNode) return true;
  const more = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
  setDefaultCACertificates([...getCACertificates('default'), ...more]);
  return true;
}
