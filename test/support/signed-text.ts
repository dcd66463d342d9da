import { challengeText } from '#linking/challenge/challenger';

/** The longest text to sign: a long host, an Algorand address, a long id. */
export const SIGNED_TEXT = challengeText({
  domain: `fathom.${'a-rather-long-name.'.repeat(3)}example:8443`,
  uri: `https://fathom.${'a-rather-long-name.'.repeat(3)}example:8443/link`,
  accountName: 'Algorand',
  address: 'UWUJJ3LQ6G3YHADWAINBNYHUGWHLK4YDFTF7WX2UKD7ITZYO65TDQZSXA4',
  chainId: 'mainnet',
  statement: 'Link this wallet to discord:80351110224678912 (it moves nothing) [*_~]$&+ = fine!',
  nonce: '0123456789abcdef0123456789abcdef',
  issuedAt: 1_782_907_200,
  expiresAt: 1_782_907_500,
  requestId: 'discord:80351110224678912',
});
