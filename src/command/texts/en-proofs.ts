import type { ProofErrorCode } from '#base';

/** Why a proof was refused, in the chats and on the page, in English. `{}` are the error's values. */
export const enProofs: Readonly<Record<ProofErrorCode, string>> = {
  'wallet-unusable':
    'Nobody holds the key to this address: it belongs to the network or is used to burn tokens. Use a wallet of your own.',
  'wallet-of-program':
    'This address belongs to a program or is a token account, so nobody can sign for it. Use the wallet that owns it, and check that capital and small letters are as in your wallet.',
  'wallet-lower-case':
    'This Solana address has no capital letters, so it was changed on the way: capital and small letters matter. Copy it from your wallet again.',
  'signature-cut':
    'Part of this signature is missing: it has {} bytes, and an Ethereum account’s has 65 (0x and 130 characters). Copy all of it.',
  'signature-is-secret':
    'This looks like a private key or a seed phrase. Whoever has it has your wallet: delete it wherever you pasted it, and move your funds to a new wallet now. Nobody ever needs it.',
  'signature-is-hash':
    'This isn’t a signature but 32 bytes: the hash of a transaction, which is public, or a private key. Whoever has a key has your wallet: if it’s one, delete it where you pasted it, and move your funds to a new wallet.',
  'signature-malformed':
    'This isn’t a signature. Copy everything your wallet gave you, and nothing else.',
  'signature-other-wallet':
    'This was signed by {}, or it’s the signature of another text. Choose the account you’re linking in your wallet and sign the whole text.',
  'signature-other-or-contract':
    'This was signed by {}, or it’s the signature of another text. If you’re linking a contract wallet such as a Safe, it can’t be checked: the operator hasn’t set up an Ethereum node.',
  'signature-wrong':
    'This signature doesn’t match: it’s from another account or of another text. Choose the account you’re linking and sign the whole text.',
  'signature-wrong-or-rekeyed':
    'This signature doesn’t match: it’s from another account or of another text. Choose the account you’re linking and sign the whole text. If the account was rekeyed, its new key can’t be checked: the operator hasn’t set up an Algorand indexer.',
  'signature-other-site':
    'Your wallet signed this for another website. Sign only on the page that the bot’s link opens.',
  'authenticator-malformed':
    'Your wallet sent authenticator data that doesn’t belong to this signature. Sign again, or sign as a transaction.',
  'transaction-changed':
    'What your wallet signed isn’t what we asked for, or the wallet changed it. Sign it as it is, or sign the text instead.',
  'multisig-unsupported':
    'Multisig accounts and logic signatures can’t be linked. Link an account that a single key signs for.',
  'account-rekeyed':
    'This account was rekeyed: only {} can sign for it, and this isn’t its signature. Choose that account in your wallet and sign again.',
  'rekeyed-unsupported':
    'Another key signed. If the account was rekeyed to it, that can’t be checked: the operator hasn’t set up an Algorand indexer. Link an account that wasn’t rekeyed.',
  'indexer-wrong-network':
    'Algorand wallets can’t be linked right now: the operator’s indexer is on another network ({}). Tell the operator.',
  'contract-unsupported':
    'This looks like a contract wallet’s signature, which can’t be checked: the operator hasn’t set up an Ethereum node. Link an ordinary account.',
  'contract-wrong-network':
    'Contract wallets can’t be checked: the operator’s Ethereum node is on another network (chain ID {}). Link an ordinary account, or tell the operator.',
  'contract-missing':
    'This looks like a contract wallet’s signature, but there’s no contract at {} on Ethereum mainnet. Wallets on other networks can’t be linked.',
  'contract-refused':
    'Your wallet’s contract rejected the signature. Sign the whole text on Ethereum mainnet, as an owner of the wallet.',
  'signature-undelegated':
    'Your wallet signed for a smart account that it hasn’t set up yet (ERC-8010). Sign as an ordinary account, or set up the smart account on Ethereum mainnet first.',
  'owners-missing':
    'Not enough owners have signed: {} of the {} that this wallet needs. Have the others sign too.',
  'proof-unchecked':
    'We couldn’t check your signature in time: the service that knows about this wallet isn’t answering. That’s not your fault. Please try again later.',
  'text-expired':
    'This text has expired: it must be signed within 5 minutes, or within a day for a contract wallet.',
};
