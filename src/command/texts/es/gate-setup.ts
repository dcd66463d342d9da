import type { GateSetupTexts } from '#command/texts/en/gate-setup';

/** Setting up tier roles, in Spanish. */
export const esGateSetup: GateSetupTexts = {
  setupTitle: 'Configurar los roles de nivel',
  setupAbout: 'Esto es lo que se crearía aquí. Aún no ha pasado nada.',
  setupNothing: 'Ya está todo configurado.',
  setupTiers: {
    ruled: 'ya lo da una regla',
    offered: 'ya existe, y se usaría',
    new: 'se crearía, sin permisos',
  },
  setupUnfit: 'ya existe, pero no se puede usar:',
  setupDeleted: 'El rol de su regla se eliminó. Este ocuparía su lugar:',
  setupLadder: 'De estos roles, los miembros tienen solo el más alto (/gate ladder).',
  setupNoChannel:
    'Los informes no van a ninguna parte: elige un canal con la opción «canal», o más tarde con /gate channel.',
  setupChannelGone:
    'Los informes no van a ninguna parte: su canal se eliminó. Elige otro con la opción «canal» o con /gate channel.',
  setupChannelRefused: 'No se pudo fijar el canal de los informes.',
  setupNoPanel:
    'No hay panel para los miembros: elige un canal con la opción «panel», o más tarde con /gate panel.',
  setupGo: 'Configurar',
  setupNew: 'Configurar con roles nuevos',
  setupOn: 'Continuar',
  setupUndo: 'Deshacer la configuración',
  setupSure: 'Eliminarlos',
  setupUnderWay: 'Sigue en segundo plano. Vuelve a mirar dentro de poco.',
  setupDoneTitle: 'Configurado',
  setupDone:
    'Los roles y sus reglas ya existen. Los miembros reciben su rol con la próxima ejecución, en unos minutos; la vista previa muestra quiénes.',
  setupStoppedTitle: 'Configuración incompleta',
  setupUndoStoppedTitle: 'Deshecha solo en parte',
  setupStopped: 'Algo lo impide. Corrígelo y continúa, o deshaz lo que ya se ha creado:',
  setupStuck:
    'Estos roles no se pudieron eliminar. Arregla lo que lo impide, o elimínalos a mano, y deshaz el resto.',
  setupLeft:
    'Se interrumpió una configuración, o al deshacerla. Continúa, o deshaz lo que haya creado.',
  setupUndoAsk:
    'Esto elimina las reglas, los roles y el panel que creó la configuración; los roles, también de los miembros que los tienen. Los roles que ya existían se quedan, también los de quienes los recibieron desde entonces (/gate undo los quita), y los que ya da otra regla o que alguien ha dado a mano a algún miembro.',
  setupUndoneTitle: 'Configuración deshecha',
  setupUndone:
    'Ya no queda nada de lo que creó la configuración. Lo que ya existía, o creó otra persona, se queda.',
  setupLeftRoles: {
    ruled: 'se queda, pues lo da otra regla',
    given:
      'se queda, pues parece que algún miembro lo tiene de otra persona; elimínalo a mano si nadie lo necesita',
    untold: 'se queda, pues Discord no dice quién lo tiene; elimínalo a mano si nadie lo necesita',
  },
  setupNone: 'No hay ninguna configuración que deshacer.',
  setupReason: 'Fathom: /gate setup',
  setupUndoReason: 'Fathom: /gate setup, deshecho',
  setupEntry:
    'En Telegram no hay roles que crear. Elige quién puede entrar con /gate add tier:whale, recibe informes con /gate channel y enseña las reglas a los miembros con /gate panel on.',
  setupBlocked: {
    'not-allowed':
      'Discord no deja que el bot cree o cambie estos roles. En Ajustes del servidor, en Roles, activa «Gestionar roles» para el rol del bot y arrástralo por encima de ellos.',
    'bot-too-low':
      'El bot no tiene ningún rol por encima de los nuevos, así que no podría nombrar los que cree. En Ajustes del servidor, en Roles, arrastra el rol del bot hacia arriba; si no tiene ninguno, vuelve a invitarlo con «Gestionar roles».',
    'too-many-roles':
      'No caben estos roles: un servidor tiene 250 como máximo. Elimina alguno antes.',
    'too-many-rules':
      'No caben estas reglas: una comunidad tiene 25 como máximo. Elimina alguna antes.',
  },
  setupAnswers: {
    go: 'continuar',
    new: 'con roles nuevos',
    undo: 'deshacer',
    sure: 'deshacer, seguro',
  },
};
