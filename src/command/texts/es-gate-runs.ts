import type { GateRunsTexts } from './en-gate-runs.ts';

export const esGateRuns: GateRunsTexts = {
  previewTitle: 'Qué haría ahora una ejecución',
  members: 'Miembros revisados',
  gains: 'Ganarían algo',
  losses: 'Perderían algo',
  atRisk: 'No lo cumplen, aún dentro de plazo',
  unknown: 'No se sabe: quedan como están',
  nothing: 'No cambiaría nada.',
  allInFile: 'El archivo los incluye a todos, con sus motivos.',
  someInFile: (count, all) => `El archivo incluye ${count} de ${all}.`,
  doubts: {
    unavailable: 'Ahora mismo no hay datos disponibles. No se cambia nada.',
    stale: 'Ahora mismo los datos son antiguos. No se cambia nada.',
    partial: 'Aún se están leyendo cadenas y faltan puntos. No se retira nada.',
    implausible:
      'Los datos no pueden ser correctos (todo a cero o la mitad de las carteras desaparecidas). No se cambia nada.',
  },
  due: 'plazo:',
  unseen: (count) =>
    `Cuentas con carteras vinculadas que aún no hemos buscado aquí: ${count}. Lo estamos haciendo; repite la vista previa en unos minutos.`,
  unchecked: (count) =>
    `Aún sin comparar con sus roles actuales: ${count}. Es posible que algunos ya tengan el rol.`,

  runTitle: 'Ejecución terminada',
  stoppedTitle: 'Ejecución detenida',
  stopNothing: 'No hay ninguna ejecución en curso.',
  stopAsked:
    'La ejecución se detiene antes de su próximo cambio. /gate undo revierte lo que ha cambiado.',
  stopAskedUndo:
    'La reversión se detiene antes de su próximo cambio. Lo ya revertido queda revertido y las reglas que pausó siguen en pausa.',
  undoStopped:
    'La reversión se detuvo. Lo ya revertido queda revertido y las reglas que pausó siguen en pausa.',
  runningTitle: 'Hay una ejecución en curso',
  runningAbout: 'Continúa en segundo plano. Vuelve a comprobarlo dentro de un rato.',
  waitingAbout:
    'Se ha interrumpido y se reanudará automáticamente. Los recuentos muestran lo hecho hasta ahora.',
  again: 'Comprobar de nuevo',
  notRun: 'No hay nada que ejecutar: ninguna regla está activa, o ya hay una ejecución en curso.',
  given: 'Concedido',
  taken: 'Quitado',
  warned: 'Avisado',
  warnedUntold: 'Avisado, pero no acepta mensajes del bot',
  refused: 'Rechazado por la plataforma',
  unsettled: 'Resultado aún desconocido',
  wouldLose: 'Lo perdería',
  leftAlone: 'Sin cambios',
  heldTitle: 'No se ha quitado nada: sería demasiado de una vez',
  heldAbout: (count) =>
    `Miembros que perderían el acceso: ${count}. Si la lista es correcta, confírmalo; si no, no hagas nada y volveremos a preguntar en 24 horas.`,
  questionTitle: 'Una pregunta para los moderadores',
  heldBrief:
    'Una ejecución quitaría el acceso a muchos miembros y espera una respuesta. Escribe /gate list para verla.',
  doubtBrief:
    'Los datos no parecen correctos, así que ahora no se aplica ninguna regla. Escribe /gate list para ver qué muestran.',
  heldNotice: (grant) =>
    `Una ejecución quitaría «${grant}» a muchos miembros y espera la respuesta de un moderador. Escribe /gate list en tu comunidad para verla.`,
  heldUntold:
    'La pregunta no se pudo publicar en ninguna parte: con /gate channel eliges adónde van.',
  acceptButton: 'Es correcto',
  doubtful: {
    lost: (before, now) =>
      `Los datos muestran ${now} carteras donde había ${before}, así que hace más de una hora que no se aplica ninguna regla. Si es correcto, acéptalo (/gate accept) y las reglas usarán los datos nuevos. Si no, pide al operador de este bot que revise los datos.`,
    zeros:
      'Los datos no muestran puntos de ninguna cartera, así que hace más de una hora que no se aplica ninguna regla. Si es correcto, acéptalo (/gate accept) y las reglas los usarán. Si no, pide al operador de este bot que revise los datos.',
    contradiction:
      'Los datos se contradicen, así que hace más de una hora que no se aplica ninguna regla. Pide al operador de este bot que los revise.',
  },
  acceptedTitle: 'Aceptado',
  acceptedAbout:
    'Desde ahora las reglas usan los datos nuevos. Una ejecución que quitaría demasiado sigue preguntando antes.',
  confirmButton: 'Quitar el acceso',
  previewButton: 'Vista previa',
  runButton: 'Ejecutar ahora',
  undoButton: 'Deshacer esta ejecución',
  logButton: 'Historial',
  listButton: 'Reglas',

  undoNoneTitle: 'No hay nada que deshacer',
  undoneTitle: 'Deshecho',
  undoneAbout:
    'Los cambios de la ejecución se han revertido. Sus reglas quedan en pausa, porque los harían de nuevo; reanúdalas con /gate resume.',
  undoneAsIs:
    'Los cambios de la ejecución se han revertido, salvo los que se indican abajo. Sus reglas quedan en pausa, porque los harían de nuevo; reanúdalas con /gate resume.',
  undoneInPartTitle: 'Deshecho en parte',
  undoneInPart:
    'Algunos cambios no se han podido revertir. Cuando nada lo impida, deshaz la ejecución de nuevo: solo se intenta lo que queda. Sus reglas están en pausa.',
  notRestored: 'Sin revertir',
  inviteAgain:
    'Un bot no puede volver a añadir a nadie. Envía este enlace a quienes fueron expulsados:',
  undoAskTitle: 'Todavía no se ha deshecho nada',
  undoAsks: {
    held: 'La última ejecución no ha cambiado nada: espera tu respuesta y sin ella no quita nada.',
    unchanged: 'La última ejecución no ha cambiado nada.',
    undone: 'La última ejecución ya se ha deshecho.',
    'undo-stopped': 'La última reversión se detuvo. Lo ya revertido queda revertido.',
    'undo-partial': 'La última reversión no pudo con todo. Puedes deshacer el resto.',
    old: 'La última ejecución que cambió algo es de hace más de un día.',
    look: 'El último cambio se hizo para un solo miembro, no en una ejecución sobre todos.',
    many: 'Esto quitaría algo a muchos miembros a la vez. La ejecución en sí ya ha terminado.',
  },
  undoLast: 'La última ejecución que cambió algo',
  undoLosing: (count) => `Miembros que perderían lo que concedió: ${count}.`,
  undoNothing: 'Ninguna ejecución ha cambiado nada que se pueda deshacer.',
};
