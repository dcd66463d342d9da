/** How communities' cards look. Part of the migrations: never change it once released. */
export const CARD_STYLES_SQL = `
  -- accent: 0xRRGGBB. banner: a PNG.
  CREATE TABLE card_style (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    accent INTEGER,
    banner_digest TEXT,
    banner BLOB,
    PRIMARY KEY (platform, community)
  ) STRICT;
`;
