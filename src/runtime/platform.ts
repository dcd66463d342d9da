import type { Answerer } from '#core/answerer';
import type { Card } from '#core/card';
import type { Caller, Command } from '#core/command';
import type { GateEvents } from '#core/gating/events';
import type { GateKeeper } from '#core/gating/keeper';
import type { Logger } from '#core/logger';
import type { PlatformTraits } from '#core/platform';
import type { SharedBudget } from '#core/shared-budget';
import type { InboxStore } from '#core/work/inbox';
import type { WorkStore } from '#core/work/store';
import type { CheckFinding } from './finding.ts';
import type { RoleConnectionsSetup } from './role-connections.ts';
import type { SettingsReader } from './settings.ts';

/**
 * A chat platform as the rest of the program knows it. Each declares one in its `index.ts`; the list of
 * them is in `src/platforms/index.ts`, and nothing else names one. No part may be left out: what a
 * platform doesn't have is said to be undefined. Loading it must not load the platform's own
 * libraries, which take more memory than all the rest.
 */
export interface Platform extends PlatformTraits {
  /** https origin of the pictures of its accounts; undefined where they have none that may be shown. */
  readonly avatarOrigin: string | undefined;
  /** What the platform delivers by HTTP; undefined if it never does. */
  readonly delivery: DeliveryRoute | undefined;
  /** Loads what shows cards on the page at `/`; undefined if it isn't shown there. */
  readonly loadPreview: (() => Promise<CardPreview>) | undefined;
  /** Reads its settings. Those that are wrong are told to the reader. */
  configure(reader: SettingsReader): ConfiguredPlatform;
}

/** A platform with its settings. */
export interface ConfiguredPlatform {
  /** As they were read, for tests. */
  readonly settings: unknown;
  /** Values that must never be shown. */
  readonly secrets: readonly (string | undefined)[];
  /**
   * Starts it and doesn't wait for it: it connects by itself, as often as it has to. Undefined when
   * it isn't configured.
   */
  readonly start: ((host: PlatformHost) => Promise<RunningPlatform>) | undefined;
  /** Looks whether the platform can be used with these settings. Changes nothing. */
  readonly check: () => Promise<readonly CheckFinding[]>;
  /** Shows members' figures in their profiles, as Linked Roles do; undefined where nothing does. */
  readonly roleConnections: RoleConnectionsSetup | undefined;
}

/** What a running platform has to work with. */
export interface PlatformHost {
  readonly answerer: Answerer;
  /** Told who asks to join, joins and leaves. */
  readonly gate: GateEvents;
  readonly log: Logger;
  /** This process among others that share the store. */
  readonly replica: { readonly id: string; readonly live: () => number };
  readonly work: WorkStore;
  readonly inbox: InboxStore;
  /** Whether this replica can't reach the store while others can. */
  readonly isCutOff: () => boolean;
  /** Places in time that all replicas share; undefined where each has its own. */
  readonly budget: SharedBudget | undefined;
  /** Told of every question, for counters. @param command one of few names */
  readonly onCommand: (command: string, outcome: string, seconds: number) => void;
  /** Told of every question that was acknowledged before it is answered. */
  readonly onAcknowledged: (seconds: number) => void;
}

export interface RunningPlatform {
  /** Whether it answers, and what is wrong if it doesn't. */
  status(): { readonly ok: boolean; readonly detail: string };
  /** What rules are followed with. */
  readonly keeper: GateKeeper;
  /** Where people reach its bot; undefined until that is known. */
  invitation(): string | undefined;
  /** Takes one delivery. Undefined unless it is configured to get any. Never rejects. */
  readonly deliver: ((delivery: HttpDelivery) => Promise<DeliveryReply>) | undefined;
  /** Answers what it was asked, within bounds, then leaves. */
  stop(): Promise<void>;
}

/** Where a platform delivers, by POST. */
interface DeliveryRoute {
  /** Below PUBLIC_URL. */
  readonly path: string;
  /** `bytes`: as it came, whatever it claims to be. */
  readonly body: 'json' | 'bytes';
}

export interface HttpDelivery {
  readonly body: unknown;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface DeliveryReply {
  readonly status: number;
  /** Sent as JSON; undefined for nothing. */
  readonly body?: unknown;
}

/** What a platform would show of a card, for pages. */
export interface CardPreview {
  /** The message as the platform's own API has it. */
  render(card: Card, options: PreviewOptions): unknown;
  /** The data of a button without what `render` had to add to it. */
  codeOf(data: string): string;
}

interface PreviewOptions {
  readonly caller: Caller;
  /** BCP 47. */
  readonly language: string;
  readonly commands: readonly Command[];
  readonly log: Logger;
}
