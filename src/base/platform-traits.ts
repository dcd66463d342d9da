/** Identifies a chat platform: `discord`. Part of keys in the store, so it never changes. */
export type PlatformId = string;

/** What commands need to know about the platform they run on. */
export interface PlatformTraits {
  readonly id: PlatformId;
  /** Its name for people: `Discord`. */
  readonly label: string;
  /** What a rule grants: one of the community's roles, or entry to the community itself. */
  readonly grants: 'role' | 'entry';
  /** Where moderators get reports: in a channel of the community, or in one's private chat. */
  readonly reportsTo: 'channel' | 'member';
  /** How a picture is sent with a command: as one of its options, or by replying to the picture. */
  readonly pictures: 'option' | 'reply';
}
