import { enLinkFaults, enLinks, enProofs } from '#command/texts';
import { publicEn } from './public-en.ts';
import type { Words } from './words.ts';

export const en: Words = {
  language: 'en',
  name: 'English',
  page: {
    title: 'Fathom: wallet reputation for communities',
    headline: 'Wallet reputation for communities on Ethereum, Solana and Algorand',
    lead: 'Type a command as you would in a chat and see the answer as Discord and Telegram show it. No account, no token.',
    demo: 'Demo data: all wallets are made up.',
    skip: 'Skip to the command',
    docs: 'API docs',
    openApi: 'OpenAPI',
    languages: 'Language',
    theme: 'Colours',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    command: 'Command',
    ask: 'Ask',
    hint: 'Press Enter to ask, Up for your previous commands.',
    suggestions: 'Suggestions',
    examples: 'Try one of these',
    views: 'Show the answer as in',
    noScript:
      'This page needs JavaScript, which is turned off. You can read the same data on these pages:',
  },
  browser: {
    used: 'You used {}',
    thinking: 'Fathom is thinking',
    onlyYou: 'Only you can see this',
    posted: 'Everybody reads this:',
    answered: 'Answer: {}',
    found: 'Suggestions: {}',
    opensPage: 'opens a page',
    unreachable: 'Can’t reach Fathom. Your connection or the service may be down.',
    wait: 'Too many commands. Wait {} seconds, then try again.',
    refused: 'Fathom rejected this command.',
    again: 'Try again',
  },
  answers: {
    privateTitle: 'Not in the playground',
    madeUp: 'A made-up server: try anything you like',
    open: (chat) => `Open the bot in ${chat}`,
    private: (command) =>
      `${command} is about your own account, and the playground doesn’t know who you are. Ask the bot in Discord or Telegram.`,
    ofCommunities: (command) =>
      `${command} is for moderators, about a community of theirs. Ask the bot in your server, group or channel.`,
  },
  link: {
    title: 'Link a wallet · Fathom',
    headline: 'Link a wallet to your chat account',
    lead: 'Your wallet signs a short text, then you enter a code in the chat. Nothing is moved, and it costs nothing.',
    noScript: 'This page needs JavaScript. Without it, type /link and your address.',
    step: 'Step {} of {}',
    start: {
      title: 'Before you begin',
      points: ['Nobody ever needs your seed phrase or private key, here or anywhere else.'],
      go: 'Continue',
    },
    apps: {
      title: 'Open this page in your wallet app',
      about:
        'Pick your wallet: the page opens inside its app, where it can sign. Your link stays valid.',
      connect: 'Pera, Defly and others',
      other: 'Use another wallet',
    },
    scan: {
      title: 'Scan this with your phone',
      about:
        'This browser has no wallet. Scan the code with your phone’s camera or your wallet app to continue there, or install a wallet here and reload the page.',
      other: 'Use another wallet',
    },
    account: {
      title: 'This account gets the wallet',
      displayName: 'Display name, chosen by the account:',
      notYours:
        'Not you, or you didn’t type /link yourself? Close this page: your wallet would count as theirs.',
    },
    wallets: {
      title: 'Choose your wallet',
      none: 'This browser has no wallet. Unlock or install one, then search again, or sign by hand below.',
      again: 'Search again',
      missing: 'My wallet isn’t listed',
      byHand: 'Sign the text in any wallet or on a command line, and paste the signature here.',
      address: 'Wallet address',
      showText: 'Show the text',
    },
    addresses: { title: 'Choose the address' },
    sign: {
      title: 'Sign this text',
      about: 'This is everything you sign. Your wallet must show the same.',
      cannot: 'My wallet can’t sign texts (Ledger)',
      cannotAbout: 'It signs the text inside a transaction that can never be sent.',
      byHand: 'Sign exactly this text with your wallet.',
      copyText: 'Copy the text',
      transaction: 'My wallet can only sign transactions',
      transactionAbout: 'This one carries the text and can never be sent (base64):',
      copyTransaction: 'Copy the transaction',
      signature: 'Signature from your wallet (hex, base58 or base64)',
      handIn: 'Send the signature',
      back: 'Choose another wallet',
    },
    waiting: {
      title: 'Check your wallet',
      about: 'It’s asking you to confirm. If you don’t see anything, open your wallet.',
      cancel: 'Cancel',
    },
    pair: {
      title: 'Connect your wallet app',
      other: 'Another app on this phone',
      about:
        'Is your wallet on another device? Scan the code with it, then approve the connection there.',
      copy: 'Copy the connection link',
    },
    checking: {
      title: 'Checking your signature',
      about:
        'Your signature has arrived, but it can’t be checked right now. You don’t have to do anything: it stays valid and we keep trying.',
      again: 'Try again now',
    },
    owners: {
      title: enLinks.link.ownersTitle,
      about: enLinks.link.ownersAwaited,
      send: 'Send signatures of the text',
    },
    done: {
      title: 'Last step: enter this code in the chat',
      about: 'Your wallet is linked once you’ve entered it.',
      copy: 'Copy the code',
      secret: 'Never give it to anyone: whoever asks for it wants your wallet on their account.',
    },
    used: {
      title: 'This code no longer works',
      about:
        'If you entered it, the bot’s answer in the chat says how it went. Otherwise type /link there for a new link.',
    },
    elsewhere: {
      title: 'Continue where it’s open',
      about: 'Not you? Type /link in the chat for a new link.',
    },
    over: { title: 'Type /link in the chat for a new link' },
    lost: {
      title: 'There’s no page at this address',
      about: 'The link may have been cut short. Type /link in the chat for a new one.',
    },
    browser: {
      unnamed: 'This browser’s wallet',
      signWith: 'Sign with {}',
      copied: 'Copied.',
      marked: 'Couldn’t copy. The text is selected: copy it yourself.',
      id: 'ID',
      qrCode: 'QR code',
      type: {
        form: `Press “${enLinks.link.codeButton}” under the bot’s message, or type {} in the chat, as {}. Valid for {} min.`,
        message: 'Send {} to the bot, as {}. Valid for {} min.',
        page: 'Type {} where you started, as {}. Valid for {} min.',
      },
      code: 'The code is {}',
      codeOver: 'This code has expired.',
      checkedUntil: 'We keep trying until {}. After that you can sign again.',
      checkedUntilDay: 'We keep trying until {} at {}.',
      stillUnchecked: 'Last tried at {}, without an answer.',
      renewed: 'The text below is new: sign this one.',
      faults: {
        'invalid-address': 'This isn’t an Ethereum, Solana or Algorand address. Copy all of it.',
        'signature-malformed': 'This isn’t a signature. Copy everything your wallet gave you.',
        'signature-is-secret': enProofs['signature-is-secret'],
        'signature-is-hash': enProofs['signature-is-hash'],
        ...enLinkFaults,
        'rate-limited': 'Too many requests. Wait {} seconds, then try again.',
        'data-unavailable': 'This isn’t available right now. Try again in a moment.',
        unreachable: 'Can’t reach Fathom. Check your connection, then try again.',
        'no-ticket': 'This page only works with a link from the bot.',
        'no-cookies':
          'This browser rejects the cookie that reserves the link for you. Allow cookies here, or open a new link in another browser.',
        'text-over': 'The text had expired.',
        'other-tab':
          'You chose a wallet in another tab of this page, so only the text shown there counts. Sign it there, or choose your wallet here again.',
        'other-account':
          'Another tab has opened another account’s link since, so this one no longer works here. Nothing was linked. If that link isn’t yours, close that tab: your wallet would count as theirs.',
        left: 'Your signature is still being checked. Reload this page to come back to it, or choose another wallet.',
        'signature-lost': 'Your last signature didn’t count: it was rejected or never arrived.',
        rejected: 'You declined in your wallet, so nothing was signed. You can try again.',
        locked: 'Your wallet is locked, or hides this address from us. Unlock it and try again.',
        busy: 'Your wallet has another request open. Answer it there, then try again.',
        late: 'Your wallet didn’t respond within two minutes. Open it, then try again.',
        cancelled: 'Cancelled. If your wallet still asks, decline there.',
        'no-address': 'Your wallet gave no address on this chain. Choose one in it first.',
        'other-text':
          'Your wallet signed a different text from the one on this page, so it doesn’t count. We’ll ask in another way next.',
        'no-way': 'This wallet can’t sign this. Choose another one, or sign by hand.',
        nonsense: 'Your wallet’s response is invalid. Try again, or choose another wallet.',
        failed: 'That didn’t work. Your wallet says: {}',
      },
    },
  },
  pages: publicEn,
};
