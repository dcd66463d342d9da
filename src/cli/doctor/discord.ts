import { type Config, DISCORD_INTERACTIONS_PATH } from '#app/config';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether Discord can deliver interactions to us, where it is to, and what to enter there for it. */
export function checkDiscord({ discord, publicUrl }: Config): Finding[] {
  if (discord?.http === undefined) return [];
  const subject = 'discord';
  const findings = [
    publicUrl?.startsWith('https:')
      ? ok(
          subject,
          `over HTTP. At Discord, under General Information, the Interactions Endpoint URL must be ${publicUrl}${DISCORD_INTERACTIONS_PATH}`,
        )
      : fail(
          subject,
          'DISCORD_MODE=http needs PUBLIC_URL, the https address that Discord reaches this instance at. Set it.',
        ),
  ];
  if (discord.membersIntent) {
    const text =
      'DISCORD_MEMBERS_INTENT has no effect with DISCORD_MODE=http, where Discord tells of no members by itself. Leave it out.';
    findings.push(warn('members intent', text));
  }
  return findings;
}
