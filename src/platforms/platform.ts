import type { CheckFinding, Logger, PlatformTraits } from '#base';
import type { SettingsReader } from '#base/process';
import type { InboxStore, ReplicaRef, SharedBudget } from '#cluster';
import type { Caller, Card, CardPicture } from '#command';
import type { Answerer, Command } from '#commands/answering';
import type { CommunityAdapter, GateEvents, UsernameStore } from '#gating';
import type { RoleConnectionsSetup } from './role-connections/setup.ts';

/**
 * A chat platform as the rest of the program sees it. Each platform declares one in its `index.ts`;
 * `src/app/config.ts` lists them; beside it, only texts for people and what one alone has, such as Linked
 * Roles, name any. Parts a platform doesn't have are declared undefined, so none can be forgotten. Loading a
 * declaration must not load the platform's libraries, which take more memory than everything else.
 */
export interface Platform extends PlatformTraits {
  /** https origin of its avatars; undefined if it has none we may show. */
  readonly avatarOrigin: string | undefined;
  /** How a code from a page reaches the bot: in a form behind its button, or as a message. */
  readonly codeEntry: 'form' | 'message';
  /** The bot's token, which `fathom init` asks for; undefined if it has none. */
  readonly token: BotToken | undefined;
  /** Its deliveries by HTTP; undefined if it has none. */
  readonly delivery: DeliveryRoute | undefined;
  /** Loads its renderer for the page at `/`; undefined if it isn't shown there. */
  readonly loadPreview: (() => Promise<CardPreview>) | undefined;
  /** Reads its settings, reporting invalid ones to the reader. */
  configure(reader: SettingsReader): ConfiguredPlatform;
}

interface BotToken {
  readonly variable: string;
  /** The setting by which a stand-in or proxy takes the place of the platform's API. */
  readonly apiVariable: string;
  /** Where people get it. */
  readonly where: string;
}

/** A platform with its settings. */
export interface ConfiguredPlatform {
  /** As they were read, for tests. */
  readonly settings: unknown;
  /**
   * By name, what all replicas that have it must have the same: two bots would judge each other's communities.
   */
  readonly agreed: Readonly<Record<string, string | undefined>>;
  /** Servers it connects to with these settings, for `fathom doctor`; none if it isn't configured. */
  readonly servers: readonly string[];
  /** Values that must never be shown. */
  readonly secrets: readonly (string | undefined)[];
  /**
   * Starts it without waiting: it connects, and reconnects, on its own. Undefined if it isn't
   * configured.
   */
  readonly start: ((host: PlatformHost) => Promise<RunningPlatform>) | undefined;
  /** Checks whether the platform works with these settings. Changes nothing. */
  readonly check: () => Promise<readonly CheckFinding[]>;
  /** Shows members' scores in their profiles, such as Linked Roles; undefined if nothing does. */
  readonly roleConnections: RoleConnectionsSetup | undefined;
}

/** Dependencies of a running platform. */
export interface PlatformHost {
  readonly answerer: Answerer;
  /** Receives join requests, joins and leaves. */
  readonly gate: GateEvents;
  readonly log: Logger;
  /** This process among those that share the store. */
  readonly replica: { readonly id: string; readonly live: () => number };
  readonly work: ReplicaRef['work'];
  readonly inbox: InboxStore;
  /** Usernames of people met in communities, for platforms that don't resolve them. */
  readonly usernames: UsernameStore;
  /** Whether the others answer in its place: it alone can't reach the store, or it stands aside. */
  readonly leavesToOthers: () => boolean;
  /** Rate budget shared by all replicas; undefined if each has its own. */
  readonly budget: SharedBudget | undefined;
  /** Called for every command, for metrics. @param command from a fixed set */
  readonly onCommand: (command: string, outcome: string, seconds: number) => void;
  /** Called for every command acknowledged before it's answered. */
  readonly onAcknowledged: (seconds: number) => void;
}

export interface RunningPlatform {
  /** Whether it's connected, and what's wrong if not. */
  status(): { readonly ok: boolean; readonly detail: string };
  /** Applies gating rules; undefined if the platform has nothing that a rule could grant. */
  readonly communityAdapter: CommunityAdapter | undefined;
  /** The bot's URL; undefined until known. */
  invitation(): string | undefined;
  /** Handles one delivery. Undefined unless configured. Never rejects. */
  readonly deliver: ((delivery: HttpDelivery) => Promise<DeliveryReply>) | undefined;
  /** Finishes work in flight, up to a deadline, then disconnects. */
  stop(): Promise<void>;
}

/** Where a platform delivers by POST. */
interface DeliveryRoute {
  /** Below PUBLIC_URL. */
  readonly path: string;
  /** `bytes`: the raw body, whatever it claims to be. */
  readonly body: 'json' | 'bytes';
}

export interface HttpDelivery {
  readonly body: unknown;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface DeliveryReply {
  readonly status: number;
  /** Sent as JSON; undefined for an empty body. */
  readonly body?: unknown;
}

/** How a platform would show a card, for pages. */
export interface CardPreview {
  /** The message in the format of the platform's API. */
  render(card: Card, options: PreviewOptions): unknown;
  /** A button's data without what `render` added. */
  codeOf(data: string): string;
}

interface PreviewOptions {
  readonly caller: Caller;
  /** BCP 47. */
  readonly language: string;
  readonly commands: readonly Command[];
  /** The card's, already drawn. */
  readonly picture: CardPicture | undefined;
  readonly log: Logger;
}
