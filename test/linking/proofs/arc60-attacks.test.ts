import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Submission } from '#linking/proving/proof';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  outcomeOf,
  proverOf,
} from './signing.ts';

const prover = proverOf('algorand');
const alice = ed25519Key('alice');
const mallory = ed25519Key('mallory');
const challenge = challengeOf(prover, algorandAddress(alice.publicKey));
const sha256 = (data: string | Uint8Array) => hash('sha256', data, 'buffer');

describe('an ARC-60 signature', () => {
  const host = sha256('fathom.example:8443');
  const [, account, , statement, , ...lines] = challenge.text.split('\n');
  const valueIn = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const fields = {
    account_address: account,
    chain_id: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k',
    domain: 'fathom.example:8443',
    'expiration-time': valueIn('Expiration Time'),
    'issued-at': valueIn('Issued At'),
    nonce: valueIn('Nonce'),
    'request-id': valueIn('Request ID'),
    statement,
    type: 'ed25519',
    uri: valueIn('URI'),
    version: '1',
  };
  const data = JSON.stringify(fields);
  const of = (data: string, authenticatorData: Uint8Array, key = alice) =>
    base64(key.sign(Buffer.concat([sha256(data), sha256(authenticatorData)])));
  const arc60 = (authenticatorData: Uint8Array, signature = of(data, authenticatorData)) => {
    return { signature, authenticatorData: base64(authenticatorData) };
  };
  const full = (flags: number, ...more: number[]) =>
    Buffer.concat([host, Buffer.of(flags, 0, 0, 0, 1, ...more)]);

  it('is accepted unmodified', async () => {
    const submission: Submission = { form: 'arc60', ...arc60(host) };
    expect(await outcomeOf(() => prover.check(challenge, submission))).toBe('key');
  });

  it.each([
    ['for another domain', 'signature-other-site', arc60(sha256('evil.example'))],
    ['for the domain without its port', 'signature-other-site', arc60(sha256('fathom.example'))],
    ['by another account', 'signature-wrong-or-rekeyed', arc60(host, of(data, host, mallory))],
    [
      'of another nonce',
      'signature-wrong-or-rekeyed',
      arc60(host, of(data.replace('0123', '3210'), host)),
    ],
    [
      'of data in another order',
      'signature-wrong-or-rekeyed',
      arc60(
        host,
        of(JSON.stringify(Object.fromEntries(Object.entries(fields).toReversed())), host),
      ),
    ],
    [
      'of data with spaces',
      'signature-wrong-or-rekeyed',
      arc60(host, of(JSON.stringify(fields, null, 1), host)),
    ],
    ['of the text itself', 'signature-wrong-or-rekeyed', arc60(host, of(challenge.text, host))],
    [
      'with other authenticator data than was signed',
      'signature-wrong-or-rekeyed',
      arc60(full(1), of(data, host)),
    ],
    [
      'over data that is not hashed',
      'signature-wrong-or-rekeyed',
      arc60(host, base64(alice.sign(Buffer.concat([sha256(data), host])))),
    ],
    ['without a user', 'authenticator-malformed', arc60(full(0x1c))],
    ['with a new key', 'authenticator-malformed', arc60(full(0x41))],
    ['with extensions', 'authenticator-malformed', arc60(full(0x81))],
    ['with a longer counter', 'authenticator-malformed', arc60(full(1, 0))],
    [
      'with flags and no counter',
      'authenticator-malformed',
      arc60(Buffer.concat([host, Buffer.of(1)])),
    ],
    ['with a short hash', 'authenticator-malformed', arc60(host.subarray(1))],
    [
      'with authenticator data that is none',
      'authenticator-malformed',
      { ...arc60(host), authenticatorData: '{}' },
    ],
    [
      'with a megabyte of it',
      'authenticator-malformed',
      { ...arc60(host), authenticatorData: 'A'.repeat(1_000_000) },
    ],
  ])('%s is refused: %s', async (_, code, submitted) => {
    expect(await outcomeOf(() => prover.check(challenge, { form: 'arc60', ...submitted }))).toBe(
      code,
    );
    expect(await outcomeOf(() => prover.check(challenge, { form: undefined, ...submitted }))).toBe(
      code,
    );
  });
});
