import type { LinkErrorCode } from '#base';
import { enProofs } from './en-proofs.ts';
import { proofErrorsInChat } from './refusals.ts';

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
      'Your signature has arrived, but the service that knows about this wallet isn’t answering. That’s not your fault, and you don’t need to sign again: we keep trying.',
    uncheckedUntil: 'Type /link to see how it went. We keep trying until',
    uncheckedOther: 'To link another wallet instead, choose “Start over” first.',
    checkButton: 'Check now',
    secretTitle: 'That looks like a secret',
    secret:
      'What you typed looks like a seed phrase or a private key. Whoever has it has your wallet. We didn’t keep it, but it may still be visible here: delete your message now, and move your funds to a new wallet.',
    keyOrHashTitle: 'That may be a secret',
    keyOrHash:
      'These 32 bytes may be a private key or the hash of a transaction. A hash is public: then nothing has happened. Whoever has a private key has your wallet: if it’s one, delete your message now and move your funds to a new wallet. We didn’t keep it. A signature is longer.',
    secretNever: 'Nobody ever needs your seed phrase or private key, not even to link a wallet.',
    severalAddresses:
      'You gave more than one address. Link one wallet at a time: type /link followed by its address.',
    unclear:
      'That’s not a wallet address, a code from the page or a signature. Type /link to link a wallet on the page, or /link followed by your address to sign a text yourself.',
    noSignature:
      'That has no whole signature. Copy everything your wallet gave you, and send it again: your text is still valid. If you’ve only copied the text, sign it first.',
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
    contested:
      'Another account has proved one of your wallets. If it’s still yours, prove it again with /link; /wallets shows which one.',
    against: 'Claimed by another account. Prove it again with /link before',
    waiting: 'Proved by you, but still reserved for another account. It becomes yours on',
    checking: 'Signed; we’re still checking it. Type /link to see how it went.',
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

  unlink: {
    title: 'Unlink which wallet?',
    about:
      'You may lose roles that depend on it. For 3 days nobody else can link it; you can at any time. If another account has already claimed it, that account gets it within those 3 days.',
    none: 'You haven’t linked a wallet, so there’s nothing to unlink.',
    byAddress: 'To unlink a wallet without a button, enter its address:',
    one: (wallet: string) => `Unlink ${wallet}`,
    doneTitle: 'Wallet unlinked',
    done: 'It’s no longer linked to you.',
  },

  privacy: {
    title: 'Who can see your linked wallets',
    now: {
      hidden: 'Only you. Your own /rep is shown only to you.',
      community: 'Members of the communities you chose.',
      public: 'Anyone who looks you up in a chat.',
    },
    communities: (count: number, shown: string) =>
      `${shown} ${count === 1 ? 'community' : 'communities'} so far. Choose this in another one to add it.`,
    never: 'The API and the leaderboard never show who a wallet belongs to.',
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
    ...proofErrorsInChat(enProofs, 'For a new text, type /link and your address.'),
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
  } satisfies Record<LinkErrorCode, string>,
};

export type LinkTexts = typeof enLinks;
