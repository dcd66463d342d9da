import { GuildMemberFlags } from 'discord.js';

/**
 * Whether somebody isn't a full member yet: they haven't passed the server's membership screening, or are a
 * guest, who was asked nothing and may only be in one voice channel. A role would let them in.
 * https://discord.com/developers/docs/resources/guild#guild-member-object
 */
export function isNotYetMember(member: {
  readonly pending?: boolean;
  /** An event may lack them; then the look that follows asks for them. */
  readonly flags?: GuildMemberFlags;
}): boolean {
  const { pending, flags = 0 } = member;
  return pending === true || (flags & GuildMemberFlags.IsGuest) !== 0;
}
