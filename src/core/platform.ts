/** Names a chat platform: `discord`. It is part of keys in the store, so it never changes. */
export type PlatformId = string;

/** What commands need to know of the platform that they are asked on. */
export interface PlatformTraits {
  readonly id: PlatformId;
  /** As people know it: `Discord`. */
  readonly label: string;
  /** What a rule grants: one of the community's roles, or entry to the community itself. */
  readonly grants: 'role' | 'entry';
  /** Where moderators are written to: in a channel of the community, or in one's private chat. */
  readonly reportsTo: 'channel' | 'member';
}
