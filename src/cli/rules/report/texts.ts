/** The texts of a rehearsal's page. */
const en = {
  language: 'en',
  title: (rules: string) => `Rehearsal of ${rules}`,
  about: (before: string) =>
    `What would change if these rules replaced ${before}. Nothing has changed yet.`,
  noRules: 'no rules',
  rulesNamed: (name: string, version: string) => `${name}, version ${version}`,
  asOf: (day: string) => `As of ${day}, 00:00 UTC`,
  short: (score: number) => shortOf('en', score),
  wallets: 'wallets',
  changed: 'change',
  rise: 'rise to a higher tier',
  fall: 'fall to a lower tier',
  loseRoles: 'lose a role',
  distribution: 'Scores before and after',
  distributionPlot: 'Wallets by score, before and after',
  score: 'Score',
  before: 'Before',
  after: 'After',
  tiers: 'Moves between tiers',
  tiersHint: 'Rows are tiers before, columns tiers after. The diagonal stays.',
  fromTo: 'Before \\ after',
  nobody: 'none',
  roles: 'Roles',
  rolesHint: 'Members who have a role by the rules of their community.',
  role: 'Role',
  gain: 'Gain it',
  lose: 'Lose it',
  badges: 'Badges',
  badge: 'Badge',
  rises: 'Largest rises',
  falls: 'Largest falls',
  wallet: 'Wallet',
  change: 'Change',
  table: 'Table',
  nothing: 'No score, badge or role would change.',
};

export type ReportTexts = typeof en;

const es: ReportTexts = {
  language: 'es',
  title: (rules) => `Ensayo de ${rules}`,
  about: (before) =>
    `Qué cambiaría si estas reglas sustituyeran a ${before}. Todavía no ha cambiado nada.`,
  noRules: 'ninguna regla',
  rulesNamed: (name, version) => `${name}, versión ${version}`,
  asOf: (day) => `A fecha de ${day}, 00:00 UTC`,
  short: (score) => shortOf('es', score),
  wallets: 'carteras',
  changed: 'cambian',
  rise: 'suben de nivel',
  fall: 'bajan de nivel',
  loseRoles: 'pierden un rol',
  distribution: 'Puntuaciones antes y después',
  distributionPlot: 'Carteras por puntuación, antes y después',
  score: 'Puntuación',
  before: 'Antes',
  after: 'Después',
  tiers: 'Cambios de nivel',
  tiersHint:
    'Las filas son los niveles de antes; las columnas, los de después. La diagonal no cambia.',
  fromTo: 'Antes \\ después',
  nobody: 'ninguno',
  roles: 'Roles',
  rolesHint: 'Miembros que tienen un rol por las reglas de su comunidad.',
  role: 'Rol',
  gain: 'Lo ganan',
  lose: 'Lo pierden',
  badges: 'Insignias',
  badge: 'Insignia',
  rises: 'Mayores subidas',
  falls: 'Mayores bajadas',
  wallet: 'Cartera',
  change: 'Cambio',
  table: 'Tabla',
  nothing: 'No cambiaría ninguna puntuación, insignia ni rol.',
};

/** @param language `en` or `es` */
export function reportTexts(language: string): ReportTexts {
  return language === 'es' ? es : en;
}

/** 200000 → `200K` */
function shortOf(language: string, score: number): string {
  return new Intl.NumberFormat(language, { notation: 'compact' }).format(score);
}
