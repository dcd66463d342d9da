/** How communities' cards look. Part of the migrations: never change it once released. */
export const CARD_STYLES_SQL = `
  -- accent: 0xRRGGBB. banner: a PNG.
  CREATE TABLE card_style (
    platform text COLLATE "C" NOT NULL,
    community text COLLATE "C" NOT NULL,
    accent integer,
    banner_digest text,
    banner bytea,
    PRIMARY KEY (platform, community)
  );
`;
