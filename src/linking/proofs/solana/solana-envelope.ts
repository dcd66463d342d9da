import { concatBytes } from '#linking/proofs/bytes';

/** No transaction starts with its first byte. */
const SIGNING_DOMAIN = concatBytes(0xff, 'solana offchain');
/** Ledger and others leave it empty. */
const NO_APPLICATION = new Uint8Array(32);
/** Longer texts use a different format in version 0. */
const MOST_OF_SHORT = 1_212;
const ASCII = 0;
const UTF8 = 1;
const LONG_UTF8 = 2;

/**
 * What a text becomes before the Solana command line or a Ledger signs it: a header and the text.
 * There are several headers, and the signature does not say which it was:
 * - version 0 as solana-sdk (and so the command line and Ledger apps before 1.8) writes it: format
 *   and length. https://docs.rs/solana-offchain-message
 * - version 0 as it is specified (Ledger): application, format, signers and length.
 *   https://docs.anza.xyz/proposals/off-chain-message-signing
 * - version 1: signers only; Ledger's first ones had the length too.
 *   https://github.com/anza-xyz/kit/tree/main/packages/offchain-messages
 *
 * A line break makes a text UTF-8 by the specification, and leaves it ASCII to Ledger.
 */
export function envelopesOf(signer: Uint8Array, text: string): readonly Uint8Array[] {
  const message = Buffer.from(text, 'utf8');
  const length = Uint8Array.of(message.length & 0xff, message.length >> 8);
  const formats = [ASCII, message.length > MOST_OF_SHORT ? LONG_UTF8 : UTF8];
  const signers = concatBytes(1, signer);
  return [
    ...formats.map((format) => concatBytes(SIGNING_DOMAIN, 0, format, length, message)),
    ...formats.map((format) =>
      concatBytes(SIGNING_DOMAIN, 0, NO_APPLICATION, format, signers, length, message),
    ),
    concatBytes(SIGNING_DOMAIN, 1, signers, message),
    concatBytes(SIGNING_DOMAIN, 1, signers, length, message),
  ];
}
