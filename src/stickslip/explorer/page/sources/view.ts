// What a view is, and what the server tells about it: the words of docs/explorer-protocol.md as types.

export type ModelChoice = { library: string; arguments?: Record<string, number> } | { text: string };

export interface DiagramView {
  parameter: string;
  low: number;
  high: number;
  points: number;
  transient: number;
  observed: number;
  quantity: string;
  direction: "none" | "up" | "down" | "both";
  /** At which moments of a motion a point is taken. */
  on?: string;
  /** From where its motions start, once a click on a point has changed the start of the view. */
  start?: Record<string, number>;
}

export interface RangeOfParameter {
  parameter: string;
  low: number;
  high: number;
  points: number;
}

export interface RangeOfState {
  state: string;
  low: number;
  high: number;
  points: number;
}

export interface MapView {
  x: RangeOfParameter;
  y: RangeOfParameter;
  colour: string;
}

export interface SectionView {
  on: string;
  x: string;
  y: string;
}

export interface BranchOrigin {
  branch: number;
  special: number;
  action: string;
  second?: string;
}

export interface BranchView {
  of: "orbit" | "equilibrium";
  parameter: string;
  low: number;
  high: number;
  from: BranchOrigin | null;
  /** The parameters and the start from which it was followed, so that the branch stays when sliders move on. */
  parameters?: Record<string, number>;
  start?: Record<string, number>;
}

export interface BasinsView {
  x: RangeOfState;
  y: RangeOfState;
  t: number;
}

export type Shown = "diagram" | "map" | "section" | "basins";

/** What only the page knows of a view; it is in the address, and is not sent. */
export interface PageView {
  phase?: [string, string];
  history?: string[];
  contact?: string;
  /** The heights between which the diagram is looked at. */
  heights?: [number, number];
  /** Whether the return map is looked at, in place of the section. */
  returns?: boolean;
  /** What was computed, and is computed again when the address is opened. */
  ran?: string[];
}

/** A view of which every part is there. */
export interface View {
  model: ModelChoice;
  parameters: Record<string, number>;
  start: Record<string, number>;
  motion: { t: number; start_time?: number };
  diagram: DiagramView;
  map: MapView;
  section: SectionView;
  branches: BranchView[];
  basins: BasinsView;
  show: Shown;
}

/** What the address holds: only what was changed from the defaults of the model. */
export type PartialView = {
  [Key in keyof View]?: View[Key] extends unknown[] ? View[Key] : Partial<View[Key]> | View[Key];
} & { page?: PageView };

export interface Parameter {
  name: string;
  part: string;
  label: string;
  value: number;
  low: number;
  high: number;
  unit: string;
  about: string;
}

export interface StateOfModel {
  name: string;
  label?: string;
  value: number;
  low: number;
  high: number;
  unit: string;
}

export interface Place {
  name: string;
  body: string;
  shape: string;
  x: number;
  y: number;
  width: number;
  height: number;
  moves: boolean;
  wheels: boolean;
  degrees: boolean;
}

export interface End {
  place: string;
  x: number;
  y: number;
  post: boolean;
}

export interface Link {
  name: string;
  kind: string;
  start: End;
  end: End;
  over: number;
}

export interface Surface {
  body: string;
  kind: string;
  left: number;
  right: number;
  y: number;
  above: boolean;
  around: string;
}

export interface Touch {
  contact: string;
  place: string;
  left: number;
  right: number;
  y: number;
}

export interface Push {
  name: string;
  place: string;
  weight: number;
}

export interface MachineLayout {
  places: Place[];
  links: Link[];
  surfaces: Surface[];
  touches: Touch[];
  pushes: Push[];
  extent?: [number, number, number, number];
}

export interface Description {
  title: string;
  about: string;
  view: View;
  parts: { name: string; kind: string }[];
  parameters: Parameter[];
  states: StateOfModel[];
  contacts: string[];
  quantities: string[];
  period: number | null;
  equations: string;
  machine: MachineLayout | null;
  python: string;
  time_unit?: string;
  units?: { force?: string; slip_velocity?: string };
  /** What the axes of a contact are called. */
  contact_words?: { force: string; slip_velocity: string };
}

export interface Opening {
  view: PartialView;
  version: string;
  models: { name: string; title: string }[];
}

/** The defaults of a model, with what the address changes put over them. */
export function completed(defaults: View, changed: PartialView): View {
  return {
    model: (changed.model ?? defaults.model) as ModelChoice,
    parameters: numbers(changed.parameters),
    start: numbers(changed.start),
    motion: fitted(defaults.motion, changed.motion),
    diagram: fitted(defaults.diagram, changed.diagram),
    map: fitted(defaults.map, changed.map),
    section: fitted(defaults.section, changed.section),
    branches: changed.branches ?? [],
    basins: fitted(defaults.basins, changed.basins),
    show: (changed.show as Shown | undefined) ?? defaults.show ?? "diagram",
  };
}

function numbers(given: Partial<Record<string, number>> | undefined): Record<string, number> {
  return Object.fromEntries(Object.entries(given ?? {}).filter((pair): pair is [string, number] => pair[1] !== undefined));
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Changes over defaults; what is of another kind than its default, in an address that was damaged, is left out. */
function fitted<Part extends object>(defaults: Part, changed: unknown): Part {
  if (!isTable(changed)) return defaults;
  const known = Object.entries(defaults).map(([name, value]): [string, unknown] => {
    const own = changed[name];
    if (isTable(value)) return [name, fitted(value, own)];
    return [name, typeof own === typeof value ? own : value];
  });
  return { ...changed, ...Object.fromEntries(known) } as Part;
}
