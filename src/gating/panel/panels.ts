import { type Elapsed, type Logger, ProblemLogs, RetryableError } from '#base';
import { processDueWork, type Replica } from '#cluster';
import type { Action, Block, Card } from '#command';
import type { Texts } from '#command/texts';
import {
  type CommunityAdapter,
  isPosting,
  type Posting,
  type ReportRefusal,
} from '#gating/community-adapter';
import type { WalletMode } from '#gating/decide/counted-wallets';
import type { Decisions } from '#gating/decisions';
import type { CommunityTexts } from '#gating/language';
import { attemptPost, isWithin, whyClosed } from '#gating/post-once';
import { namedRule, needsOf } from '#gating/rules/describe';
import { type Community, communityKey, communityOfKey, ENTRY, type Rule } from '#gating/rules/rule';
import { noteDecision } from '#gating/rules/rule-changes';
import { panelClaim } from '#gating/runs/claims';
import type { CommunitySettings, GateStore } from '#gating/store';
import type { ReputationSource } from '#reputation';
import type { LeftPost, PanelPost, PanelSettings } from './panel-post.ts';

/** The panel of a community, for its moderators. */
export interface Panel {
  readonly settings: PanelSettings | undefined;
  /** Undefined before the first attempt. */
  readonly post: PanelPost | undefined;
  /** What former ones posted that can't be deleted yet. */
  readonly left: readonly LeftPost[];
}

/** Where a panel is to be, and why that channel wouldn't take it. */
interface Decided {
  readonly channel: string;
  readonly closed: ReportRefusal | undefined;
}

/** Whether there is one, or will be: nobody has deleted it, and its channel didn't refuse it from the start. */
export function isStanding({ settings, post }: Omit<Panel, 'left'>): boolean {
  const isRefused = post?.refused !== undefined && post.message === undefined;
  return settings !== undefined && post?.ended !== 'deleted' && !isRefused;
}

export interface PanelsOptions {
  readonly store: GateStore;
  readonly source: Pick<ReputationSource, 'badgeWithId'>;
  readonly replica: Pick<Replica, 'during' | 'plan' | 'takeDue' | 'finish'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly textsOf: CommunityTexts;
  readonly decisions: Pick<Decisions, 'make'>;
  /** Eight lower-case letters and digits, random. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  readonly signal: AbortSignal;
}

interface Bringing {
  readonly settings: CommunitySettings;
  readonly keep: (post: PanelPost) => Promise<void>;
  readonly isAsked: boolean;
}

/** The kind of work. */
const PANEL = 'panel';
/** The id of what former panels left where there's none now. */
const NO_PANEL = '';
/** Messages of former panels that are remembered. */
const LEFT_MOST = 10;
/** Seconds between two looks at a panel, and between two edits. */
const EVERY = 60;
/** Seconds after which what was refused is tried again. */
const AGAIN = 3_600;

/** Keeps one message in each community that wants it, with its rules as they are. */
export class Panels {
  readonly #options: PanelsOptions;
  readonly #troubles: ProblemLogs;

  constructor(options: PanelsOptions) {
    this.#options = options;
    this.#troubles = new ProblemLogs(options.log);
  }

  /** How it is now: a message that somebody may have deleted is looked for. */
  async of(community: Community): Promise<Panel> {
    await this.#bring(community, true);
    const { panel: settings, panelPost: post } = await this.#options.store.settingsOf(community);
    return { settings, post: post?.id === settings?.id ? post : undefined, left: post?.left ?? [] };
  }

  /**
   * Posts a panel, in place of the one before.
   * @param id by which the moderator who turns it on knows it again
   * @returns why that channel wouldn't take it; the one that members have elsewhere stays then
   * @throws UserError `gate-decided-since`
   */
  async turnOn(
    community: Community,
    channel: string,
    by: string,
    id?: string,
  ): Promise<ReportRefusal | undefined> {
    const { closed } = await this.#decide(community, async () => channel, by, id);
    return closed;
  }

  /**
   * The same where a moderator may have named no channel.
   * @param channelFor by the settings of the one before, once it's known whether that is still there
   */
  async turnOnIn(
    community: Community,
    channelFor: (settings: PanelSettings | undefined) => string,
    by: string,
  ): Promise<Decided> {
    const look = async () => channelFor((await this.of(community)).settings);
    return await this.#decide(community, look, by);
  }

  async #decide(
    community: Community,
    look: () => Promise<string>,
    by: string,
    id = this.#options.newId(),
  ): Promise<Decided> {
    const { store, adapterOf, decisions } = this.#options;
    const put = async (requireLast: () => Promise<void>): Promise<Decided> => {
      const channel = await look();
      const { panel, panelPost: post } = await store.settingsOf(community);
      const isThere = post?.message !== undefined && post.id === panel?.id;
      // One that is closed by now keeps the message there: it couldn't be deleted, and another would join it later.
      if (isThere && post.ended === undefined) {
        const closed = await whyClosed(adapterOf(community.platform), community, channel);
        if (closed !== undefined) return { channel, closed };
      }
      await requireLast();
      await store.putSettings(community, { panel: { id, channel } });
      await noteDecision(this.#options, community, 'panel-on', { by, detail: channel });
      return { channel, closed: undefined };
    };
    return await decisions.make(community, 'panel', put, ({ closed }) => closed !== undefined);
  }

  async turnOff(community: Community, by: string): Promise<void> {
    const { store, decisions } = this.#options;
    await decisions.make(community, 'panel', async () => {
      if ((await store.settingsOf(community)).panel === undefined) return;
      await store.putSettings(community, { panel: undefined });
      await noteDecision(this.#options, community, 'panel-off', { by });
    });
  }

  /** Does what's due, one community after the other, each by one of the replicas. */
  async round(): Promise<void> {
    const { store, replica, log, signal } = this.#options;
    const all = await store.withPanels();
    await replica.plan(PANEL, all.map(communityKey));
    await processDueWork(replica, PANEL, signal, async (due) => {
      try {
        await this.#bring(communityOfKey(due.name), false);
      } catch (error) {
        // The others' panels are kept all the same.
        log.error({ err: error }, 'bug: a panel failed');
      }
      if (!signal.aborted) await replica.finish(due, EVERY, '');
    });
  }

  /**
   * Brings what is posted up to date. Never rejects for want of an answer.
   * @param isAsked whether a moderator wants to know how it is
   */
  async #bring(community: Community, isAsked: boolean): Promise<void> {
    const { store, replica, adapterOf } = this.#options;
    const { platform } = community;
    try {
      const adapter = adapterOf(platform);
      if (adapter === undefined || !isPosting(adapter)) return;
      const before = await store.settingsOf(community);
      if (before.panel === undefined && before.panelPost === undefined) return;
      await replica.during(panelClaim(community), async ({ isHeld }) => {
        const keep = async (panelPost: PanelPost | undefined): Promise<void> => {
          if (!(await isHeld())) throw new RetryableError('Another replica keeps this panel.');
          await store.putSettings(community, { panelPost });
        };
        const settings = await store.settingsOf(community);
        const post = await this.#deleteFormer(community, adapter, settings, keep);
        const { panel } = settings;
        if (panel === undefined) return;
        const brought = post ?? { id: panel.id, channel: panel.channel };
        await this.#write(community, adapter, brought, { settings, keep, isAsked });
      });
      this.#troubles.forget(communityKey(community));
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      this.#troubles.of(communityKey(community)).failed(error, 'a panel has to wait');
    }
  }

  /**
   * Deletes what former panels posted; what the platform refuses is tried again later.
   * @returns what is posted of the present one
   */
  async #deleteFormer(
    community: Community,
    adapter: Posting,
    settings: CommunitySettings,
    keep: (post: PanelPost | undefined) => Promise<void>,
  ): Promise<PanelPost | undefined> {
    const { panel, panelPost: post } = settings;
    if (post === undefined) return undefined;
    const isFormer = post.id !== (panel?.id ?? NO_PANEL);
    const message = isFormer
      ? await this.#messageOf(community, adapter, post, settings)
      : undefined;
    const { left: before = [] } = post;
    const former = message === undefined ? [] : [{ channel: post.channel, message }];
    const left: LeftPost[] = [];
    for (const each of [...before, ...former]) {
      const isWaiting = 'triedAt' in each && isWithin(this.#options, each.triedAt, AGAIN);
      if (isWaiting) left.push(each);
      else if (!(await adapter.deletePost(community.id, each.channel, each.message))) {
        left.push({ ...each, triedAt: this.#options.now() });
      }
    }
    const isSame = left.length === before.length && left.every((each, i) => each === before[i]);
    if (!isFormer && isSame) return post;
    const { id, channel } = panel ?? { id: NO_PANEL, channel: post.channel };
    const present = isFormer ? { id, channel } : post;
    const isNothing = left.length === 0 && (isFormer || panel === undefined);
    const kept = { ...present, left: left.length === 0 ? undefined : left.slice(-LEFT_MOST) };
    await keep(isNothing ? undefined : kept);
    return isNothing ? undefined : kept;
  }

  /** Which message an attempt made whose answer got lost, for as long as the platform knows it. */
  async #messageOf(
    community: Community,
    adapter: Posting,
    { id, channel, message, begunAt }: PanelPost,
    settings: CommunitySettings,
  ): Promise<string | undefined> {
    if (message !== undefined || !isWithin(this.#options, begunAt, adapter.postsOnceFor)) {
      return message;
    }
    const card = await this.#cardOf(community, settings);
    const outcome = await adapter.post(community.id, channel, card, keyOf(id));
    return 'message' in outcome ? outcome.message : undefined;
  }

  async #cardOf(community: Community, settings: CommunitySettings): Promise<Card> {
    const { store, source, textsOf } = this.#options;
    const { isLadder = false, walletMode = 'best' } = settings;
    const texts = await textsOf(community, settings);
    const rules = (await store.rulesOf(community)).map((rule) => namedRule(rule, source));
    return panelCard(rules, { isLadder, walletMode }, texts);
  }

  async #write(
    community: Community,
    adapter: Posting,
    post: PanelPost,
    { settings, keep, isAsked }: Bringing,
  ): Promise<void> {
    const { now } = this.#options;
    if (post.ended !== undefined) return;
    const card = await this.#cardOf(community, settings);
    const botName = adapter.botName?.();
    // Nothing can be written yet, and what is there may be right.
    if (adapter.botName !== undefined && botName === undefined) return;
    const linked = botName === undefined ? [] : [botName];
    const says = JSON.stringify([card.title, card.blocks, card.actions, ...linked]);
    const isRetried = post.refused !== undefined && !isWithin(this.#options, post.writtenAt, AGAIN);
    const isOld = post.message === undefined || post.says !== says;
    const isNews = post.refused === undefined && isOld;
    if (!isAsked && !isNews && !isRetried) return await this.#pin(community, adapter, post, keep);
    if (isWithin(this.#options, post.writtenAt, EVERY)) return;
    if (post.message === undefined) {
      await this.#post(community, adapter, { ...post, says }, card, keep);
      return;
    }
    const { message, channel } = post;
    const outcome = await adapter.editPost(community.id, channel, message, card);
    const writtenAt = now();
    if (outcome === 'gone') await keep({ ...post, ended: 'deleted', writtenAt });
    else if (outcome === 'done') await keep({ ...post, says, writtenAt, refused: undefined });
    // What it says stays, so that the rest is made up for later.
    else await keep({ ...post, refused: outcome.refused, writtenAt });
  }

  async #post(
    community: Community,
    adapter: Posting,
    post: PanelPost,
    card: Card,
    keep: (post: PanelPost) => Promise<void>,
  ): Promise<void> {
    const { now, log } = this.#options;
    const { begunAt, channel } = post;
    const lost: PanelPost = { ...post, begunAt: undefined, ended: 'lost' };
    // It may have been posted, and the platform would post it again.
    if (begunAt !== undefined && !isWithin(this.#options, begunAt, adapter.postsOnceFor)) {
      return await keep(lost);
    }
    await keep({ ...post, begunAt: begunAt ?? now() });
    const outcome = await attemptPost(
      {
        ...{ adapter, community: community.id, channel, card },
        ...{ key: keyOf(post.id), isRepeated: begunAt !== undefined },
      },
      log,
    );
    if (outcome === 'unsent') return await keep({ ...post, begunAt: undefined });
    if (outcome === 'lost') return await keep(lost);
    if (outcome === 'open') return;
    const written: PanelPost = { ...post, begunAt: undefined, writtenAt: now() };
    if ('refused' in outcome) return await keep({ ...written, refused: outcome.refused });
    const made = { ...written, message: outcome.message, refused: undefined };
    await keep(made);
    await this.#pin(community, adapter, made, keep);
  }

  async #pin(
    community: Community,
    adapter: Posting,
    post: PanelPost,
    keep: (post: PanelPost) => Promise<void>,
  ): Promise<void> {
    const { message, isPinned, ended } = post;
    if (adapter.pinPost === undefined || message === undefined || isPinned || ended) return;
    await adapter.pinPost(community.id, message);
    await keep({ ...post, isPinned: true });
  }
}

/** See `Posting.post`. */
function keyOf(id: string): string {
  return `panel-${id}`;
}

/** How rules apply in a community. */
export interface PanelTerms {
  readonly isLadder: boolean;
  readonly walletMode: WalletMode;
}

/** What everybody can read of a community's rules, with buttons that answer the presser. */
export function panelCard(
  rules: readonly Rule[],
  { isLadder, walletMode }: PanelTerms,
  texts: Texts,
): Card {
  const { panel } = texts;
  const open = rules.filter(({ isHidden }) => isHidden !== true);
  const shown = open.filter(({ paused }) => paused === undefined);
  const said = (sentence: string): Block => ({ kind: 'text', spans: [{ italic: sentence }] });
  const entries = shown.map((rule) => ({
    title: [{ bold: nameOf(rule, texts) }, ` · ${needsOf(rule, texts)}`],
    detail: [],
  }));
  const notes = [
    ...(isLadder ? [panel.ladder] : []),
    walletMode === 'sum' ? panel.sumOfWallets : panel.oneWallet,
  ];
  return {
    tone: 'plain',
    title: panel.title,
    blocks:
      shown.length === 0
        ? [{ kind: 'text', spans: [open.length === 0 ? panel.none : panel.paused] }]
        : [{ kind: 'entries', entries }, said(notes.join(' ')), said(panel.how)],
    actions: [
      [
        buttonOf(panel.link, 'link'),
        buttonOf(panel.access, 'access'),
        buttonOf(panel.reputation, 'rep'),
      ],
    ],
    menu: undefined,
    footer: [],
    private: false,
    language: texts.language,
  };
}

function buttonOf(label: string, command: string): Action {
  return { label, call: { command, args: {} }, forPresser: true };
}

function nameOf({ grant, grantName }: Rule, { access, gate }: Texts): string {
  if (grant !== ENTRY) return grantName;
  return grantName === '' ? gate.entry : access.entryTo(grantName);
}
