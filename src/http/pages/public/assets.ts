/** Path of these pages' assets. */
export const PUBLIC_ASSETS_PATH = '/pages';

/** Those that all pages share, and those of these; by their path. */
export const PUBLIC_ASSETS: ReadonlyMap<string, string> = new Map(
  [
    ...['base.css', 'frame.css', 'icon.svg', 'emoji.svg'],
    ...['public/public.js', 'public/public.css', 'public/hero.css', 'public/board.css'],
    ...['public/wallet.css', 'public/leaderboard.css', 'public/stats.css', 'public/badge.css'],
  ].map((file) => [`${PUBLIC_ASSETS_PATH}/${file.replace(/^public\//, '')}`, file]),
);
