import type { OptionSpec } from '#command';
import type { RequirementKind } from './kind.ts';

interface BadgeRequirement {
  readonly kind: 'badge';
  readonly badge: string;
}

const option = {
  kind: 'badge',
  name: 'badge',
  required: false,
  about: (texts) => texts.commands.gate.options.badge,
  none: (texts) => texts.gate.noNeed,
} as const satisfies OptionSpec;

/** A badge, by its id; in a shortfall, by its name. */
export const badgeRequirement: RequirementKind<BadgeRequirement, BadgeRequirement, typeof option> =
  {
    option,
    read: (badge) => ({ kind: 'badge', badge }),
    needsBadges: true,
    isMet: ({ badge }, { badges }) => badges?.includes(badge) ?? false,
    shortfallOf: ({ badge }, _, { badgeName }) => ({ kind: 'badge', badge: badgeName(badge) }),
    needText: ({ badge }, { gate }) => gate.badge(badge),
    shortfallText: ({ badge }, { access }) => access.badge(badge),
  };
