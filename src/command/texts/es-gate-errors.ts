import type { GateErrorCode } from '#base';

/** What moderators can't do, and why, in Spanish. */
export const esGateErrors = {
  'gate-not-here':
    'Esto es de una comunidad: úsalo en un servidor o en un grupo, o sobre un canal.',
  'gate-not-allowed':
    'Solo pueden hacerlo los moderadores: con «Gestionar roles» en un servidor o con permiso para invitar en un grupo o canal.',
  'gate-limit': 'Esta comunidad ya tiene el máximo de reglas. Elimina una antes.',
  'gate-unknown-rule':
    'Aquí no existe la regla «{}». /gate list muestra las reglas y sus identificadores.',
  'gate-unknown-badge':
    'No hay ninguna insignia con ese identificador: es su nombre en minúsculas y con guiones. /badges de una cartera muestra las que hay.',
  'gate-no-member': 'No es miembro de esta comunidad. Solo se puede proteger a quien lo es.',
  'gate-empty-rule':
    'Elige qué necesitan los miembros: un nivel, una puntuación, una insignia o un puesto entre los N primeros.',
  'gate-expired':
    'Esta pregunta tiene más de 24 horas, así que no se ha quitado nada. Si sigue siendo el caso, la próxima ejecución preguntará de nuevo.',
  'gate-not-barred': 'No tiene ese veto aquí. /gate list muestra quién está vetado.',
  'gate-nothing': 'Ya no queda nada que confirmar. /gate list muestra el estado actual.',
} satisfies Record<GateErrorCode, string>;
