import { fromBase64, publicKeyOf, signatureOf, utf8 } from './bytes.js';

/**
 * Wallets that inject an object for Algorand. https://dev.algorand.co/arc-standards/arc-0006,
 * https://dev.algorand.co/arc-standards/arc-0010
 */
export function watchAlgorand(add) {
  return () => add('Algorand', () => describe(window.algorand));
}

function describe(provider) {
  const call = (name) =>
    typeof provider[name] === 'function' && ((...input) => provider[name](...input));
  const enable = call('enable');
  if (!enable) throw new TypeError('no wallet');
  return {
    id: provider,
    name: provider.name,
    icon: provider.icon,
    async connect() {
      const answer = await enable();
      return answer.accounts ?? answer;
    },
    account(account) {
      const address = account.address ?? account;
      const ways = algorandWays(address, {
        signData: call('signData'),
        signBytes: call('signBytes'),
        signTxns: call('signTxns') || call('signTransactions'),
      });
      return { address, ways };
    },
  };
}

/**
 * The ways to sign with these methods, as far as they exist, best first.
 * https://dev.algorand.co/arc-standards/arc-0060, https://dev.algorand.co/arc-standards/arc-0001
 */
export function algorandWays(address, { signData, signBytes, signTxns }) {
  return [
    signData && {
      form: 'arc60',
      async sign({ arc60: { data, authenticatorData }, signIn: { domain } }) {
        const bytes = fromBase64(authenticatorData);
        const signer = publicKeyOf(address);
        // The standard's text and code differ in names.
        const same = { authenticatorData: bytes, authenticationData: bytes };
        const metadata = { scope: 1, encoding: 'base64' };
        const answer = await signData({ data, signer, domain, ...same }, metadata);
        // The response is what it signed; it may have added something.
        const signed = answer.authenticatorData ?? answer.authenticationData ?? bytes;
        return { signature: answer.signature, authenticatorData: signatureOf(signed) };
      },
    },
    signBytes && {
      form: 'message',
      async sign({ text }) {
        const answer = await signBytes({ data: utf8(text), signer: address });
        return { signature: answer.signature ?? answer.sig ?? answer };
      },
    },
    signTxns && {
      form: 'transaction',
      async sign({ transaction }) {
        const answer = await signTxns([{ txn: transaction }]);
        return { signature: (answer.stxns ?? answer)[0] };
      },
    },
  ].filter(Boolean);
}
