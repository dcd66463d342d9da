import { UserError, type UserErrorCode } from '#base';
import { type Action, type Block, type Card, secretCard } from '#command';
import type { Texts } from '#command/texts';
import { type CommandContext, defineCommand } from '#commands/answering/command';
import {
  privacyButton,
  privateCard,
  reputationOf,
  walletsButton,
} from '#commands/shared/card-parts';
import {
  type ExpectedCode,
  type Linked,
  readLinkInput,
  START_OVER,
  UncheckedProof,
} from '#linking';
import { shortAddress, type Wallet } from '#wallet';
import { vaultsButton, vaultsFound } from './wallets.ts';

/** The longest option Discord accepts, as contract signatures are long. */
const LONGEST = 6_000;

const SECRETS: readonly UserErrorCode[] = ['signature-is-secret', 'signature-is-hash'];
/** Refusals that ask to sign again. */
const TO_SIGN_AGAIN: readonly UserErrorCode[] = [
  'signature-other-wallet',
  'signature-other-or-contract',
  'signature-wrong',
  'signature-wrong-or-rekeyed',
  'signature-other-site',
  'signature-undelegated',
  'authenticator-malformed',
  'transaction-changed',
  'transaction-version',
  'account-rekeyed',
  'contract-refused',
];

/** Links a wallet: on a page, or with a text signed anywhere. */
export const link = defineCommand({
  name: 'link',
  letter: 'l',
  about: (texts) => texts.commands.link.about,
  options: [
    {
      // Not an address option: it also takes codes and signatures.
      kind: 'text',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.link.options.wallet,
      longest: LONGEST,
    },
    {
      kind: 'text',
      name: 'code',
      required: false,
      about: (texts) => texts.commands.link.options.code,
      longest: LONGEST,
    },
  ],
  private: true,
  // Without a code it only starts a request that nobody knows about.
  checkedBy({ wallet, code }) {
    const typed = readOptions(code, wallet);
    const isVault = typed.kind === 'vaults' && typed.address !== undefined;
    return isVault || typed.kind === 'code' || typed.kind === 'signature' ? '/wallets' : undefined;
  },
  async run(context, { wallet, code }) {
    const { links, wallets, texts } = context;
    const typed = readOptions(code, wallet);
    switch (typed.kind) {
      case 'nothing':
        return await goOn(context);
      case 'new':
        return await byPage(context, true);
      case 'code':
        return await confirmed(context, typed.code);
      case 'part-of-code':
        throw new UserError('wrong-usage', texts.link.partOfCode(typed.digits));
      case 'signature': {
        const handedIn = settled(context, () => links.handIn(typed.signature)).catch(
          usedUp(context),
        );
        return await (typed.mayBeKeys ? handedIn.catch(cautioned(texts)) : handedIn);
      }
      case 'several-addresses':
        throw new UserError('wrong-usage', texts.link.severalAddresses);
      case 'vaults':
        if (typed.address === undefined) return await vaultsFound(context);
        return await linkedVault(context, wallets.parse(typed.address));
      case 'address':
        // In that field, it may as well be part of a signature.
        if (code !== undefined && !wallets.hasForm(typed.address)) {
          throw new UserError('wrong-usage', texts.link.unclear);
        }
        return await byHand(context, wallets.parse(typed.address)).catch(uncheckedIn(context));
      case 'no-signature':
        throw new UserError('wrong-usage', texts.link.noSignature);
      case 'secret':
        return secretCard(texts, false);
      case 'key-or-hash':
        return secretCard(texts, true);
      case 'unclear':
        throw new UserError('wrong-usage', texts.link.unclear);
    }
  },
});

/** In `Your code: 123456. It's valid for 5 minutes`, the option's name is gone, which says what the first number is. */
function readOptions(code: string | undefined, wallet: string | undefined) {
  const typed = readLinkInput(code, wallet);
  if (typed.kind !== 'unclear' || code === undefined) return typed;
  const called = readLinkInput(`code: ${code}`);
  return called.kind === 'code' ? called : typed;
}

/** Answers a code that's too early with what's still missing. */
async function confirmed(context: CommandContext, code: string): Promise<Card> {
  try {
    return await told(context, await context.links.confirm(code));
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'code-unexpected') throw error;
    const expected = await context.links.codeExpected();
    if (expected === undefined) throw error;
    return codeExpected(context, expected);
  }
}

/** Resumes what has been signed, as a new link would void it. */
async function goOn(context: CommandContext): Promise<Card> {
  const { links } = context;
  const expected = await links.codeExpected();
  if (expected !== undefined) return codeExpected(context, expected);
  return await settled(context, () => links.resume());
}

/** Refused halves of a signature may be keys. */
function cautioned({ errors, link: words }: Texts): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UserError)) throw error;
    throw new UserError('wrong-usage', `${errors.of(error)} ${words.mayBeKeys}`);
  };
}

/** To sign again, they need another text, unless several people sign the same. */
function usedUp({ links, texts }: CommandContext): (error: unknown) => Promise<never> {
  return async (error) => {
    const isToSign = error instanceof UserError && TO_SIGN_AGAIN.includes(error.code);
    if (!isToSign || (await links.awaitsSignature())) throw error;
    throw new UserError('wrong-usage', `${texts.errors.of(error)} ${texts.link.textUsedUp}`);
  };
}

/** The result of a signature, or without one a link to the page. */
async function settled(
  context: CommandContext,
  work: () => Promise<Linked | undefined>,
): Promise<Card> {
  try {
    const linked = await work();
    return linked === undefined ? await byPage(context, false) : await told(context, linked);
  } catch (error) {
    if (error instanceof UncheckedProof) return uncheckedIn(context)(error);
    if (error instanceof UserError && SECRETS.includes(error.code)) {
      return secretCard(context.texts, error.code === 'signature-is-hash');
    }
    throw error;
  }
}

/** A previous signature that a new text would drop. */
function uncheckedIn(context: CommandContext): (error: unknown) => Card {
  return (error) => {
    if (error instanceof UncheckedProof) return unchecked(context, error);
    throw error;
  };
}

/** The service that knows about the wallet isn't responding; not the member's fault. */
function unchecked(
  { texts }: CommandContext,
  {
    wallet,
    until,
    awaits,
  }: Pick<UncheckedProof, 'until' | 'awaits'> & { readonly wallet?: Wallet },
): Card {
  const isAwaited = awaits === 'owners';
  const check: Action = { label: texts.link.checkButton, call: { command: 'link', args: {} } };
  return {
    ...privateCard(
      isAwaited ? texts.link.ownersTitle : texts.link.uncheckedTitle,
      [
        ...(wallet === undefined
          ? []
          : [{ kind: 'text', spans: [{ code: wallet.address }] } as const]),
        ...uncheckedBlocks(
          isAwaited ? texts.link.ownersAwaited : texts.link.unchecked,
          until,
          texts,
        ),
        { kind: 'text', spans: [texts.link.uncheckedOther] },
      ],
      [[check, startOver(texts)]],
    ),
    tone: 'warning',
  };
}

function uncheckedBlocks(about: string, until: number, { link: words }: Texts): Block[] {
  return [
    { kind: 'text', spans: [about] },
    { kind: 'text', spans: [`${words.uncheckedUntil} `, { time: until, style: 'clock' }] },
  ];
}

async function byPage(context: CommandContext, isAnew: boolean): Promise<Card> {
  const { links, texts } = context;
  const { url, expiresAt } = await links.begin(isAnew);
  if (links.isPageLocal) return withoutPage(context, url);
  return privateCard(
    texts.link.title,
    [
      { kind: 'text', spans: [texts.link.steps] },
      { kind: 'text', spans: [texts.link.copy, ' ', { code: url }] },
      { kind: 'text', spans: [`${texts.link.until} `, { time: expiresAt, style: 'clock' }] },
      { kind: 'text', spans: [{ bold: texts.link.onlyHost(links.pageHost) }] },
      { kind: 'text', spans: [texts.link.byHand] },
    ],
    [[{ label: texts.link.open, url }, codeForm(texts.link.codeButton)]],
  );
}

/** Only the operator can open the page, so members sign in the chat. */
function withoutPage({ texts }: CommandContext, url: string): Card {
  const { link: words } = texts;
  const address: Action = {
    label: words.addressButton,
    form: { option: 'wallet', call: { command: 'link', args: {} } },
  };
  return privateCard(
    words.title,
    [
      { kind: 'text', spans: [words.stepsByHand] },
      { kind: 'text', spans: [{ bold: words.secretNever }] },
      { kind: 'text', spans: [words.noCommunityPage, ' ', { code: url }] },
    ],
    [[address, codeForm(words.codeButton)]],
  );
}

function codeExpected(context: CommandContext, expected: ExpectedCode): Card {
  const { texts } = context;
  const { expiresAt, missing } = expected;
  if (missing === 'unchecked') {
    return unchecked(context, { until: expiresAt, awaits: undefined });
  }
  if (missing === 'owners') {
    return privateCard(
      texts.link.ownersTitle,
      [
        { kind: 'text', spans: [texts.link.ownersOnPage] },
        { kind: 'text', spans: [`${texts.link.until} `, { time: expiresAt, style: 'clock' }] },
      ],
      [[startOver(texts)]],
    );
  }
  const isUnseen = missing === 'unseen';
  const text = isUnseen ? texts.link.codeUnseen : texts.link.codeAbout;
  const until = isUnseen ? texts.link.until : texts.link.codeUntil;
  return privateCard(
    texts.link.codeTitle,
    [
      { kind: 'text', spans: [text] },
      { kind: 'text', spans: [{ bold: texts.link.codeOwn }] },
      { kind: 'text', spans: [`${until} `, { time: expiresAt, style: 'clock' }] },
    ],
    [[codeForm(texts.link.codeButton), startOver(texts)]],
  );
}

async function byHand({ links, texts }: CommandContext, wallet: Wallet): Promise<Card> {
  const made = await links.beginByHand(wallet);
  const { text, transaction, caveat, expiresAt, uncheckedUntil } = made;
  const arrived: Block[] =
    uncheckedUntil === undefined
      ? []
      : uncheckedBlocks(texts.link.unchecked, uncheckedUntil, texts);
  const how: Block[] = [{ kind: 'text', spans: [texts.link.signHow[wallet.chain]] }];
  if (transaction !== undefined) how.push({ kind: 'preformatted', text: transaction });
  if (made.isForSeveral) how.push({ kind: 'text', spans: [texts.link.forSeveral] });
  if (caveat !== undefined) how.push({ kind: 'text', spans: [texts.link.caveats[caveat]] });
  return privateCard(
    texts.link.signTitle,
    [
      ...arrived,
      { kind: 'text', spans: [texts.link.signAbout] },
      { kind: 'preformatted', text },
      ...how,
      {
        kind: 'text',
        spans: [
          `${texts.link.handIn} `,
          { time: expiresAt, style: 'clock' },
          ': ',
          { code: '/link …' },
        ],
      },
    ],
    [[codeForm(texts.link.handInButton)]],
  );
}

async function linkedVault(context: CommandContext, vault: Wallet): Promise<Card> {
  const { links, texts } = context;
  const card = await told(context, await links.linkVault(vault));
  return { ...card, blocks: [...card.blocks, { kind: 'text', spans: [texts.vaults.linked] }] };
}

async function told(context: CommandContext, { wallet, outcome }: Linked): Promise<Card> {
  const { links, texts } = context;
  const address: Block = { kind: 'text', spans: [{ code: wallet.address }] };
  const buttons = [
    reputationOf(wallet.address, texts),
    walletsButton(texts),
    ...(wallet.chain === 'ethereum' ? vaultsButton(context) : []),
    privacyButton(texts),
  ];
  if (outcome.kind === 'claimed') {
    const due: Block = {
      kind: 'text',
      spans: [`${texts.link.claimed} `, { time: outcome.dueAt, style: 'clock' }],
    };
    return {
      ...privateCard(texts.link.claimedTitle, [address, due], [buttons]),
      tone: 'warning',
    };
  }
  const { privacy } = await links.choice();
  return privateCard(
    `${texts.link.linkedTitle}: ${shortAddress(wallet.address)}`,
    [
      address,
      { kind: 'text', spans: [texts.link[outcome.kind]] },
      { kind: 'text', spans: [texts.link.seenBy[privacy]] },
    ],
    [buttons],
  );
}

function startOver(texts: Texts): Action {
  return { label: texts.link.startOver, call: { command: 'link', args: { code: START_OVER } } };
}

function codeForm(label: string): Action {
  return { label, form: { option: 'code', call: { command: 'link', args: {} } } };
}
