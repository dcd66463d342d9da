/** What people type for on and off besides their labels: what is turned on may be masculine, or they tell the bot to. */
export const ON_WORDS: readonly string[] = ['enabled', 'activado', 'activada', 'activar', 'activa'];
export const OFF_WORDS: readonly string[] = [
  'disabled',
  'none',
  'ninguno',
  'ninguna',
  'desactivado',
  'desactivada',
  'desactivar',
  'desactiva',
];

/** The same where a word alone can be about nothing else. */
export const YES: readonly string[] = ['yes', 'true', 'sí'];
export const NO: readonly string[] = ['no', 'false'];
