/** What communities are told of a week, in English. */
export const enDigest = {
  digest: {
    choices: { weekly: 'weekly', off: 'off' },
    title: 'Last week',
    risers: 'Gained most points',
    badges: 'New rare badges',
    tiers: 'Members by tier',
    linked: (count: number, shown: string) =>
      `${shown} ${count === 1 ? 'member has' : 'members have'} linked a wallet. Tiers count those who show theirs here.`,
    settingTitle: 'Weekly digest',
    on: 'A digest of the week is posted on Mondays (UTC), where announcements go.',
    off: 'No weekly digest is posted here.',
    who: 'It names only members who show their wallets here, and haven’t turned announcements off with /privacy. A week without news has no digest.',
    /** Before an example of that command. */
    needsPlace: (example: string) => `First say where announcements go, with ${example}.`,
    onButton: 'Post it weekly',
    offButton: 'Turn it off',
  },
};

export type DigestTexts = typeof enDigest;
