import { RetryableError, UserError } from '#base';
import { accountIdIn, type Block, type Card, type CardEntry, type Span } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import {
  ENTRY,
  languageName,
  type Moderation,
  type NamedBar,
  postFailureText,
  type WalletMode,
} from '#gating';
import { announceBlocks, announceExample, isAmiss, refusalBlocks } from './announce.ts';
import { commonButtons, gateButton, gateCard, requireOption, textBlock } from './shared.ts';

export async function protectCard(
  context: CommandContext,
  { gating, community, by }: Moderation,
  member: string | undefined,
  on: boolean,
): Promise<Card> {
  const { gate } = context.texts;
  const account = requireOption(member, 'member', context);
  const isNew = await gating.protect(community, account, on, by);
  return gateCard(
    on ? gate.protectedTitle : gate.unprotectedTitle,
    [
      textBlock({ member: account }),
      textBlock(on ? gate.protectedAbout : gate.unprotectedAbout),
      ...(isNew ? [] : [textBlock(gate.soAlready)]),
    ],
    { actions: [commonButtons(context.texts)] },
  );
}

/** Where moderators are written to: a channel, or the private chat of the moderator who asks. */
export async function channelCard(
  { texts, caller }: CommandContext,
  { gating, community, traits, by }: Moderation,
  channel: string | undefined,
  turn: 'on' | 'off' | undefined,
): Promise<Card> {
  const { gate } = texts;
  const place = traits.reportsTo === 'channel' ? channel : caller.id;
  const target = turn === 'off' ? undefined : place;
  // Who only wants to know where reports go mustn't end them.
  if (target === undefined && turn !== 'off') {
    return await reportsCard({ gating, community, traits }, texts);
  }
  const here = textBlock(gate.channelGreeting);
  // In the private chat, where reports go to it, the answer itself says so.
  const greeting =
    traits.reportsTo === 'channel'
      ? { ...gateCard(gate.channelTitle, [here]), private: false }
      : undefined;
  const written = await gating.setLogChannel(community, target, greeting, by);
  // Also read elsewhere than where they go.
  const text =
    written !== true
      ? textBlock(postFailureText(written, texts))
      : target === undefined
        ? textBlock(gate.channelNone)
        : traits.reportsTo === 'channel'
          ? textBlock(`${gate.channelSet} `, { channel: target })
          : textBlock(gate.channelPrivate);
  return gateCard(gate.channelTitle, [text], {
    tone: written === true ? 'plain' : 'warning',
    actions: [commonButtons(texts)],
  });
}

/** Where reports go, and whether they can be posted there; none if they go nowhere. */
export async function reportsBlocks(
  { gating, community, traits }: Pick<Moderation, 'gating' | 'community' | 'traits'>,
  texts: Texts,
): Promise<{ readonly blocks: readonly Block[]; readonly isClosed: boolean }> {
  const { gate } = texts;
  const current = await gating.logChannelOf(community);
  if (current === undefined) return { blocks: [], isClosed: false };
  const isChannel = traits.reportsTo === 'channel';
  const closed = await gating.logClosed(community);
  const place = textBlock(`${gate.logTo} `, isChannel ? { channel: current } : { member: current });
  if (closed === undefined) return { blocks: [place], isClosed: false };
  // Others read it than whom it's about.
  const isFormer = closed === 'not-in-charge';
  const why = isFormer ? gate.logToFormer : postFailureText(closed, texts, '/gate channel');
  return {
    blocks: [place, textBlock(`⚠ ${why}`)],
    isClosed: true,
  };
}

/** The same alone. */
async function reportsCard(
  moderation: Pick<Moderation, 'gating' | 'community' | 'traits'>,
  texts: Texts,
): Promise<Card> {
  const { gate } = texts;
  const { blocks, isClosed } = await reportsBlocks(moderation, texts);
  if (blocks.length === 0) {
    const none = moderation.traits.reportsTo === 'channel' ? gate.noLogYet : gate.noLog;
    return gateCard(gate.channelTitle, [textBlock(none)], {
      actions: [commonButtons(texts)],
    });
  }
  const off = gateButton(gate.channelOff, { action: 'channel', switch: 'off' });
  return gateCard(gate.channelTitle, [...blocks], {
    tone: isClosed ? 'warning' : 'plain',
    actions: [[off], commonButtons(texts)],
  });
}

/** The link that makes people request to join. */
export async function linkCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  isNew: boolean,
): Promise<Card> {
  const { gate } = texts;
  const link = isNew
    ? await gating.invites.renew(community, by)
    : await gating.invites.of(community);
  if (link === undefined) {
    const known = await gating.invites.lastKnown(community);
    return gateCard(gate.linkTitle, [textBlock(known ? gate.linkKept : gate.linkNone)], {
      tone: 'warning',
      actions: [commonButtons(texts)],
    });
  }
  const blocks = [textBlock({ code: link }), textBlock(isNew ? gate.linkRenewed : gate.linkAbout)];
  return gateCard(gate.linkTitle, blocks, {
    actions: [[gateButton(gate.linkRenew, { action: 'renew' })], commonButtons(texts)],
  });
}

/** Bars named in a list; the log has all of them. */
const NAMED = 10;

/** Keeps rules from granting something to a member, whatever their wallets say. */
export async function barCard(
  context: CommandContext,
  { gating, community, traits, by }: Moderation,
  member: string | undefined,
  role: string | undefined,
): Promise<Card> {
  const { gate } = context.texts;
  const account = requireOption(member, 'member', context);
  const grant = traits.grants === 'role' ? role : undefined;
  await gating.barring.bar(community, account, grant, by, context.caller.askedAt);
  const entries = (await gating.barring.of(community, account)).map((bar) =>
    barEntry(bar, context.texts),
  );
  const ofRole = role === undefined ? gate.barredAboutAll : gate.barredAboutRole;
  const text = traits.grants === 'role' ? ofRole : gate.barredAboutEntry;
  return gateCard(gate.barredTitle, [{ kind: 'entries', entries }, textBlock(text)], {
    actions: [commonButtons(context.texts)],
  });
}

/** @throws UserError `gate-not-barred` */
export async function unbarCard(
  context: CommandContext,
  { gating, community, traits, by }: Moderation,
  member: string | undefined,
  role: string | undefined,
): Promise<Card> {
  const { gate } = context.texts;
  const account = requireOption(member, 'member', context);
  const grant = traits.grants === 'role' ? role : undefined;
  await gating.barring.unbar(community, account, grant, by, context.caller.askedAt);
  const left = await gating.barring.of(community, account);
  await gating.checkSoon(community, account);
  const about = left.length > 0 ? gate.unbarredInPart : gate.unbarredAbout;
  const rest = barBlocks({ bars: left, count: left.length }, context.texts);
  return gateCard(gate.unbarredTitle, [textBlock({ member: account }), textBlock(about), ...rest], {
    actions: [commonButtons(context.texts)],
  });
}

/** Who is barred, from what, since when and by whom. */
export function barBlocks(
  { bars, count }: { readonly bars: readonly NamedBar[]; readonly count: number },
  texts: Texts,
): Block[] {
  if (count === 0) return [];
  const { gate, rep, number } = texts;
  const entries: CardEntry[] = bars.slice(0, NAMED).map((bar) => barEntry(bar, texts));
  const more = count - entries.length;
  const rest = more > 0 ? [{ title: [rep.more(number(more))], detail: [] }] : [];
  return [
    { kind: 'heading', text: `${gate.barredHere}: ${number(count)}` },
    { kind: 'entries', entries: [...entries, ...rest] },
  ];
}

/** Whom a new rule gives nothing, as moderators have barred them. */
export function stillBarredBlocks(
  found: { readonly bars: readonly NamedBar[]; readonly count: number },
  texts: Texts,
): Block[] {
  const blocks = barBlocks(found, texts);
  return blocks.length === 0 ? [] : [...blocks, textBlock(texts.gate.stillBarred)];
}

function barEntry({ account, grant, name, at, by }: NamedBar, { gate }: Texts): CardEntry {
  const what = name ?? gate.everything;
  const author: Span[] = by === undefined ? [gate.byHand] : [{ member: accountIdIn(by) }];
  return {
    title: [{ member: account }, ' · ', grant === ENTRY ? gate.entry : what],
    detail: [`${gate.barredSince} `, { time: at, style: 'clock' }, ' · ', ...author],
  };
}

/** The language of what everybody reads in a community: says it, or changes it. */
export async function languageCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  wanted: string | undefined,
): Promise<Card> {
  const { gate } = texts;
  if (wanted !== undefined) await gating.choices.setLanguage(community, wanted, by);
  const chosen = wanted ?? (await gating.choices.languageChoiceOf(community));
  if (chosen === undefined) throw new RetryableError('the language is not known in time');
  const text =
    chosen === 'auto' ? gate.languageAuto : gate.languageSet(languageName(chosen, texts));
  const auto = gateButton(gate.languages.auto, { action: 'language', language: 'auto' });
  return gateCard(gate.languageTitle, [textBlock(text)], {
    actions: [...(chosen === 'auto' ? [] : [[auto]]), commonButtons(texts)],
  });
}

/** How several wallets of a member count: says it, or changes it. */
export async function walletsCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: WalletMode | undefined,
): Promise<Card> {
  const { gate } = texts;
  const isChanged =
    wanted !== undefined && (await gating.choices.setWalletMode(community, wanted, by));
  const mode = wanted ?? (await gating.choices.walletModeOf(community));
  if (mode === undefined) throw new RetryableError('the setting is not known in time');
  const isSum = mode === 'sum';
  const blocks = [
    textBlock(isSum ? gate.walletsSum : gate.walletsBest),
    // Only Discord has Linked Roles.
    ...(isSum && traits.grants === 'role' ? [textBlock(gate.walletsLinkedRoles)] : []),
    ...(isChanged ? [textBlock(isSum ? gate.walletsNext : gate.walletsEnded)] : []),
  ];
  const other = isSum
    ? gateButton(gate.walletsBestButton, { action: 'wallets', count: 'best' })
    : gateButton(gate.walletsSumButton, { action: 'wallets', count: 'sum' });
  return gateCard(gate.walletsTitle, blocks, { actions: [[other], commonButtons(texts)] });
}

/**
 * Whether members get the highest of the tier roles alone: says it, or changes it.
 * @throws UserError `gate-roles-only`
 */
export async function ladderCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: 'on' | 'off' | undefined,
): Promise<Card> {
  const { gate } = texts;
  if (traits.grants !== 'role') {
    throw new UserError('gate-roles-only', 'A ladder is made of roles, which only Discord has.');
  }
  if (wanted !== undefined) await gating.setLadder(community, wanted === 'on', by);
  const isOn = await gating.isLadder(community);
  const text = isOn ? gate.ladderOn : gate.ladderOff;
  const next = wanted === undefined ? [] : [textBlock(isOn ? gate.ladderNext : gate.ladderEnded)];
  const other = isOn
    ? gateButton(gate.ladderOffButton, { action: 'ladder', switch: 'off' })
    : gateButton(gate.ladderOnButton, { action: 'ladder', switch: 'on' });
  return gateCard(gate.ladderTitle, [textBlock(text), ...next], {
    actions: [[other], commonButtons(texts)],
  });
}

/** Whether the week is told on Mondays: says it, or changes it. */
export async function digestSettingCard(
  { texts }: CommandContext,
  { gating, community, traits, by }: Moderation,
  wanted: 'weekly' | 'off' | undefined,
): Promise<Card> {
  const { digest } = texts;
  const { announcing } = gating;
  const needsPlace = digest.needsPlace(announceExample(traits, texts));
  if (wanted === 'weekly' && (await announcing.of(community)).settings === undefined) {
    throw new UserError('invalid-parameter', needsPlace);
  }
  if (wanted !== undefined) await announcing.setWeekly(community, wanted === 'weekly', by);
  const announced = await announcing.of(community);
  const { settings, isWeekly } = announced;
  const isPosted = isWeekly && settings !== undefined;
  const [place] =
    settings === undefined ? [] : announceBlocks(settings, traits.reportsTo === 'channel', texts);
  const blocks =
    isPosted && place !== undefined
      ? [textBlock(digest.on), place, ...refusalBlocks(announced, texts), textBlock(digest.who)]
      : [textBlock(digest.off), ...(settings === undefined ? [textBlock(needsPlace)] : [])];
  const other = isWeekly
    ? [gateButton(digest.offButton, { action: 'digest', digest: 'off' })]
    : settings === undefined
      ? []
      : [gateButton(digest.onButton, { action: 'digest', digest: 'weekly' })];
  return gateCard(digest.settingTitle, blocks, {
    tone: isPosted && isAmiss(announced) ? 'warning' : 'plain',
    actions: [other, commonButtons(texts)],
  });
}
