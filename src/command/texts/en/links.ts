import type { LinkErrorCode, ProofErrorCode } from '#base';
import { proofErrorsInChat } from '#command/texts/phrasing';

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
    'This was signed by {}, or it’s the signature of another text. Choose the account you’re linking in your wallet and sign the whole text. A contract wallet such as a Safe can’t be checked here: the operator hasn’t set up an Ethereum node.',
  'signature-other-or-cut':
    'This signature has {} bytes. If that’s all of it, it was signed by {}, or it’s the signature of another text. If its end is missing, copy all of it (0x and 130 characters).',
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
  'transaction-version':
    'Your wallet turned the transaction into one of version 1, which can’t be read yet. Sign the text as a message, or use a wallet that signs the transaction as it is.',
  'multisig-unsupported':
    'Multisig accounts and logic signatures can’t be linked. Link an account that a single key signs for.',
  'account-rekeyed':
    'This account was rekeyed: only {} can sign for it, and this isn’t its signature. Choose that account in your wallet and sign again. If it takes several keys, it can’t be linked.',
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
    'Your wallet’s contract rejected the signature, or can’t check any (ERC-1271). Sign the whole text on Ethereum mainnet, as an owner of the wallet.',
  'signature-undelegated':
    'Your wallet signed for a smart account that it hasn’t set up yet (ERC-8010). Sign as an ordinary account, or set up the smart account on Ethereum mainnet first.',
  'owners-missing':
    'Not enough owners have signed: {} of the {} that this wallet needs. Have the others sign too.',
  'proof-unchecked':
    'We couldn’t check your signature in time: the service that knows about this wallet isn’t answering. That’s not your fault. Please try again later.',
  'owners-unchecked':
    'We couldn’t check these signatures in time: the service that knows about this wallet isn’t answering. That’s not your fault, and their text is still valid: send the same signatures again later.',
  'text-expired':
    'This text has expired: it must be signed within 5 minutes, or within a day for a contract wallet.',
};

/** Errors of a link, on the page and in the chats. */
export const enLinkFaults = {
  'link-expired': 'This link has expired or was already used.',
  'link-taken': 'This link is already open in another browser or tab. Continue there.',
  'link-tries': 'Too many attempts.',
};

/** Texts about linked wallets, in English. */
export const enLinks = {
  link: {
    title: 'Link a wallet',
    steps:
      'Open the page, sign with your wallet, then type the code it shows you here. Signing costs nothing and moves nothing.',
    open: 'Open the page',
    copy: 'If your wallet is in an app, open this address in the app’s own browser. It’s yours alone and works once:',
    until: 'It can be opened until',
    onlyHost: (host: string) =>
      `The page is at ${host} and nowhere else. We never send a link that you didn’t ask for, and nobody ever needs your seed phrase.`,
    byHand:
      'Without a page: type your wallet’s address after the command, and sign a text anywhere.',
    codeButton: 'Type the code',
    codeTitle: 'Enter the code from the page',
    codeAbout:
      'Your wallet has signed. Send /link followed by the six digits on the page, or choose “Type the code” if you see that button. Reload the page if they’re gone.',
    codeUnseen:
      'Your signature has been checked and is valid. Go back to the page in the browser where you signed: it shows your code. Then send /link followed by the six digits.',
    codeUntil: 'The code is valid until',
    codeOwn:
      'Enter it only if you signed it yourself: whoever sends you a code may have taken it from somebody else.',
    ownersTitle: 'Waiting for the owners',
    ownersAwaited:
      'The contract doesn’t accept it yet: not all of its owners have approved the text on chain. We keep checking, and you can still send their signatures instead.',
    ownersOnPage:
      'The page has a text that several owners can sign. Go on there in the same browser; a new link would make the text void.',
    forSeveral:
      'This is a contract wallet: its text is valid for a day. Send the owners’ signatures again whenever another one has signed, or 0x if they approve it on chain. A text for another wallet makes it void.',
    startOver: 'Start over',
    uncheckedTitle: 'We’re still checking your signature',
    unchecked:
      'Your signature has arrived, but the service that knows about this wallet hasn’t answered yet. That’s not your fault, and you don’t need to sign again: we keep trying.',
    uncheckedUntil: 'Type /link to see how it went. We keep trying until',
    uncheckedOther: 'To link another wallet instead, choose “Start over” first.',
    lateTitle: 'About your signature',
    lateRefused: 'Your signature could be checked at last, and it was refused.',
    late: {
      linked: 'Your wallet could be checked at last: it’s linked. /wallets shows it.',
      unanswered:
        'The service that knows about your wallet hasn’t answered in time, so we couldn’t check your signature. That’s not your fault: please try again later, with /link.',
      unansweredOwners:
        'The service that knows about your wallet hasn’t answered in time, so we couldn’t check the owners’ signatures. That’s not your fault, and their text is still valid: send the same signatures again later, where you sent them.',
      unapproved:
        'The day is over in which the owners of your contract wallet could approve its text. For a new one, type /link and its address.',
      other:
        'Your wallet could be checked at last. Type /link within ten minutes to see how it went.',
    },
    checkButton: 'Check now',
    secretTitle: 'That looks like a secret',
    secret:
      'What you typed looks like a seed phrase or a private key. Whoever has it has your wallet. We didn’t keep it, but it may still be visible here: delete your message now, and move your funds to a new wallet.',
    keyOrHashTitle: 'That may be a secret',
    keyOrHash:
      'These 32 bytes may be a private key or the hash of a transaction. A hash is public: then nothing has happened. Whoever has a private key has your wallet: if it’s one, delete your message now and move your funds to a new wallet. We didn’t keep it. A signature is longer.',
    textUsedUp: 'For that you need another text: type /link followed by your address.',
    mayBeKeys:
      'If these two words aren’t the halves of a signature, they may be hashes, which are public, or private keys: whoever has those has their wallets, so delete them where you pasted them and move the funds to new wallets.',
    secretNever: 'Nobody ever needs your seed phrase or private key, not even to link a wallet.',
    severalAddresses:
      'You gave more than one address. Link one wallet at a time: type /link followed by its address.',
    unclear:
      'That’s not a wallet address, a code from the page or a signature. Type /link to link a wallet on the page, or /link followed by your address to sign a text yourself. If you have signed one, it’s still valid: send /link followed by the signature alone, in hex, base58 or base64.',
    partOfCode: (digits: number) =>
      `A code has six digits, and this has ${digits}. Copy it from the page again.`,
    noSignature:
      'That has no whole signature. Copy everything your wallet gave you, and send it again: if you have a text to sign, it’s still valid. If you’ve only copied the text, sign it first.',
    signTitle: 'Sign this text',
    signAbout: 'Sign exactly this text with the wallet, in any app or on a command line:',
    signHow: {
      ethereum: 'As a personal message. On a command line: cast wallet sign, with the text.',
      solana:
        'As a message. On a command line: solana sign-offchain-message, with the text. A hardware wallet that can’t sign messages can sign this transaction instead; it can never be sent:',
      algorand:
        'As bytes. On a command line: goal clerk sign, with this transaction, which can never be sent:',
    },
    caveats: {
      'rekeying-unseen':
        'Was this account rekeyed? This service can’t see that: it goes by the account’s original key, even if another key controls it now.',
    },
    handIn:
      'Then send the signature: type it after the command, or use the button if you see one. We’ll wait for it until',
    handInButton: 'Send the signature',
    linkedTitle: 'Wallet linked',
    linked: 'It’s yours: from now on, /rep without an address shows it.',
    renewed: 'You’d already linked it; now you’ve proved it again.',
    kept: 'It stays yours: the other account’s claim has ended.',
    claimedTitle: 'Proved, but linked to another account',
    claimed:
      'Another account has linked this wallet. We’ve notified it. Unless it proves the wallet again, it becomes yours on',
    seenBy: {
      hidden: 'Only you can see it. /privacy changes that.',
      community: 'Members of the communities you chose can see it. /privacy changes that.',
      public: 'Anyone can see it. /privacy changes that.',
    },
    stepsByHand:
      'Type /link followed by your wallet’s address. You’ll get a text to sign in any wallet app or on a command line; then type /link followed by the signature. Signing costs nothing and moves nothing.',
    addressButton: 'Type your address',
    noCommunityPage:
      'A page makes this easier, but the operator hasn’t set a public address: it only opens on the machine that runs Fathom.',
  },

  wallets: {
    title: 'Your linked wallets',
    none: 'You haven’t linked a wallet yet. Link one with /link.',
    since: 'linked',
    byContract: 'signed by a contract',
    byOtherKey: 'signed by the key it was rekeyed to',
    byDelegation: (delegate: string) => `delegated to ${delegate}`,
    contested:
      'Another account has proved one of your wallets. If it’s still yours, prove it again with /link; /wallets shows which one.',
    against: 'Claimed by another account. Prove it again with /link before',
    waiting: 'Proved by you, but still reserved for another account. It becomes yours on',
    checking: 'Signed; we’re still checking it. Type /link to see how it went.',
    ownersMissing: 'Its owners have yet to approve the text. Type /link to see how it went.',
    onPage: 'A wallet signed on the page',
    codeMissing: 'Signed on the page. Type /link to see what’s left to do.',
    lost: 'went to another account that proved it',
    lapsed: 'was unlinked: its proof is no longer valid',
    linkButton: 'Link a wallet',
    unlinkButton: 'Unlink one',
    of: (count: string) => `Linked wallets: ${count}`,
    notShown: 'Nothing to show',
    notShownAbout: 'This member hasn’t linked a wallet, or doesn’t show it here.',
  },

  vaults: {
    button: 'Vaults',
    title: 'Your vaults',
    about:
      'These wallets have delegated everything to one you’ve linked, in delegate.xyz’s registry on Ethereum. You can link them without a signature; they’re unlinked once the delegation is revoked, or their owner signs for another account.',
    none: 'No other wallet has delegated everything to one you’ve linked, in delegate.xyz’s registry (v2) on Ethereum. Delegations of one contract or token don’t count.',
    link: (wallet: string) => `Link ${wallet}`,
    more: (count: number, shown: string) =>
      `And ${shown} ${count === 1 ? 'other' : 'others'}: type their address,`,
    linked:
      'It’s linked because it has delegated to a wallet of yours. It’s unlinked with that wallet, or once the delegation is revoked.',
  },

  unlink: {
    title: 'Unlink which wallet?',
    about:
      'You may lose roles that depend on it. For 3 days nobody else can link it; you can at any time. If another account has already claimed it, that account gets it within those 3 days.',
    none: 'You haven’t linked a wallet, so there’s nothing to unlink.',
    byAddress: 'To unlink a wallet without a button, enter its address:',
    one: (wallet: string) => `Unlink ${wallet}`,
    doneTitle: 'Wallet unlinked',
    done: 'It’s no longer linked to you.',
    withVaults: 'What was delegated to it is unlinked, too:',
  },

  privacy: {
    title: 'Who can see your linked wallets',
    now: {
      hidden: 'Only you. Your own /rep is shown only to you.',
      community: 'Members of the communities you chose, also in “/top here”.',
      public: 'Anyone who looks you up in a chat, also in “/top here” of your communities.',
    },
    communities: (count: number, shown: string) =>
      `${shown} ${count === 1 ? 'community' : 'communities'} so far. Choose this in another one to add it.`,
    never:
      'The API and the leaderboard of all wallets never show who a wallet belongs to. Moderators of your communities can see your tier, points and rank, but no wallet.',
    actions: {
      hidden: 'hidden',
      community: 'community',
      public: 'public',
      export: 'export',
      erase: 'erase',
    },
    buttons: {
      hidden: 'Only me',
      community: 'This community',
      public: 'Anyone',
      export: 'Export my data',
      erase: 'Erase my data',
    },
    sure: 'yes',
    whichCommunity: 'This isn’t a community. Type /privacy community in the one that may see them.',
    exportTitle: 'Everything we store about you',
    exportAbout:
      'The file has everything: your links, your choices, what happened when, and your API keys except the keys themselves.',
    eraseTitle: 'Erase everything?',
    eraseAbout:
      'Your links, choices, history and API keys are deleted for good. Programs with your keys lose their higher limit, and you may lose roles or Telegram groups that depend on your wallets. For 3 days nobody, including you, can link these wallets: we keep only their addresses that long, not who they belonged to. A wallet that another account has already claimed goes to that account within those 3 days. This can’t be undone.',
    eraseButton: 'Yes, erase everything',
    erasedTitle: 'Erased',
    erasedAbout:
      'We no longer store anything about you. The addresses of your wallets stay reserved for 3 days, without saying whose they were; then they’re deleted too. If moderators have barred you from something, that stays on record.',
  },

  /** Without the advice for chats. */
  proofErrors: enProofs,
  linkErrors: {
    ...proofErrorsInChat(
      enProofs,
      'For a new text, type /link and your address.',
      'Your text is still valid: send /link followed by the signature alone, in hex, base58 or base64.',
      'Then send all signatures in one. For the text, type /link and your address: while it’s valid, that’s the same one.',
    ),
    'link-expired': `${enLinkFaults['link-expired']} Type /link for a new one.`,
    'link-taken': `${enLinkFaults['link-taken']} Or type /link for a new one.`,
    'link-tries': `${enLinkFaults['link-tries']} Wait a while, then type /link again.`,
    'link-nothing':
      'No signature is expected here right now: each text is good for one signature. If the page shows you a code, type that. For a new text, type /link and your address.',
    'text-replaced':
      'Another tab of the page shows a newer text, and only that one counts. Continue there.',
    'code-wrong':
      'That’s not the code on the page. Check it and try again; you get three attempts in all.',
    'code-tries':
      'That was the third wrong code, so this link is no longer valid. Type /link for a new one.',
    'code-unexpected':
      'No code is expected right now: it has expired, was already used, or another wallet was chosen on the page since. If somebody sent you the link, it was theirs: don’t give them the code, or your wallet counts as theirs. For a link of your own, type /link.',
    'page-refused':
      'What was signed on the page was rejected; the page said why. Type /link for a new link.',
    'wallet-claimed':
      'Another account has also proved this wallet and gets it on {}. Try again after that.',
    'wallet-held':
      'This wallet was unlinked recently and is still reserved. You can link it from {}.',
    'wallet-kept':
      'The account that this wallet is linked to has proved it again, so it stays there. You can claim it again from {}.',
    'wallet-limit':
      'You’ve linked or claimed as many wallets as one account can. Remove one first with /unlink.',
    'wallet-not-linked': 'You haven’t linked this wallet. /wallets shows the ones you have.',
    'vault-not-delegated':
      '{} hasn’t delegated everything to a wallet that you’ve linked with a signature. Delegate the whole wallet in delegate.xyz’s registry (v2) on Ethereum, not one contract or token.',
    'vault-signed':
      'You’ve already linked this wallet with a signature, and a delegation changes nothing about that.',
    'vault-taken':
      'Another account has linked or proved this wallet, and a delegation takes nothing from anyone. If it’s yours, sign with the wallet itself: type /link and its address.',
    'delegate-not-linked':
      'The wallet that it delegated to isn’t linked with a signature any more. Link that one first, with /link.',
    'vaults-unsupported':
      'Vaults can’t be looked up: only Ethereum has them, and the operator needs a node for it.',
  } satisfies Record<LinkErrorCode, string>,
};

export type LinkTexts = typeof enLinks;

/**
 * Requirements that servers can set in Discord's Linked Roles, in English. Names: at most 100
 * characters; descriptions: 200.
 */
export const enRoles = {
  roles: {
    score: { name: 'Score', about: 'Minimum points of the best linked wallet' },
    /** The number and name of each follow. */
    tier: { name: 'Tier', about: 'Minimum tier' },
    rank: { name: 'Rank', about: 'Maximum rank among all wallets: 100 for the top hundred' },
    badges: { name: 'Badges', about: 'Minimum number of badges of one linked wallet' },
    linked: { name: 'Wallet linked', about: 'Days since the oldest linked wallet was linked' },
  },

  /** Pages on which members connect for Linked Roles. */
  rolePages: {
    title: 'Linked Roles · Fathom',
    told: {
      title: 'Connected',
      about:
        'Discord now knows the tier of your linked wallets. It gets their score, rank and badges too if anyone can see your wallets: type /privacy to choose. If you meet a role’s requirements, Discord grants it.',
    },
    noWallet: {
      title: 'Connected. Now link a wallet',
      about:
        'You haven’t linked a wallet yet. Type /link in Discord; we’ll then send Discord what the role requires.',
    },
    later: {
      title: 'Connected',
      about:
        'We can’t send your data to Discord right now. We’ll send it automatically in a while.',
    },
    denied: {
      title: 'Not connected',
      about:
        'You declined at Discord, so we stored nothing. To connect, start again from the role in Discord.',
    },
    expired: {
      title: 'This request has expired',
      about:
        'It took more than ten minutes, was already used, or was started in another browser. Start again in this one.',
    },
    refused: {
      title: 'Not connected',
      about:
        'Discord didn’t confirm it, or you didn’t grant every permission we need. Start again and grant all of them.',
    },
    unavailable: {
      title: 'Temporarily unavailable',
      about: 'Can’t reach Discord or Fathom right now. Nothing is lost: try again in a minute.',
    },
    limited: {
      title: 'Too many requests',
      about: (seconds: string) => `Wait ${seconds} seconds, then try again.`,
    },
    failed: {
      title: 'Something went wrong',
      about:
        'That’s our fault, and we’ve logged it. Try again; if it keeps happening, tell the operator of this bot.',
    },
    close: 'You can close this window.',
    again: 'Start again',
  },
};

export type RoleTexts = typeof enRoles;
