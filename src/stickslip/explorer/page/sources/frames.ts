// Binary frames of the server: a header in JSON and arrays behind it, read without copying.

export type Numbers = Float64Array | Float32Array | Int32Array | Int8Array;

interface ArrayPlace {
  name: string;
  dtype: "f8" | "f4" | "i4" | "i1";
  shape: number[];
  offset: number;
}

export interface Header {
  id: number;
  channel: string;
  job: string;
  done: boolean;
  stopped?: boolean;
  progress?: number;
  error?: string;
  field?: string;
  python?: string;
  arrays?: ArrayPlace[];
  [field: string]: unknown;
}

export class Frame {
  constructor(
    readonly header: Header,
    private readonly found: Map<string, Numbers>,
    readonly shapes: Map<string, number[]>,
  ) {}

  get names(): string[] {
    return [...this.found.keys()];
  }

  array(name: string): Numbers | undefined {
    return this.found.get(name);
  }

  /** An array that has to be there, in double precision. */
  numbers(name: string): Float64Array {
    const values = this.found.get(name);
    if (values === undefined) return new Float64Array(0);
    return values instanceof Float64Array ? values : Float64Array.from(values);
  }
}

export function readFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header;
  const first = 4 + length;
  const found = new Map<string, Numbers>();
  const shapes = new Map<string, number[]>();
  for (const place of header.arrays ?? []) {
    const count = place.shape.reduce((product, size) => product * size, 1);
    found.set(place.name, arrayAt(buffer, place.dtype, first + place.offset, count));
    shapes.set(place.name, place.shape);
  }
  return new Frame(header, found, shapes);
}

function arrayAt(buffer: ArrayBuffer, dtype: ArrayPlace["dtype"], at: number, count: number): Numbers {
  switch (dtype) {
    case "f8":
      return at % 8 === 0 ? new Float64Array(buffer, at, count) : new Float64Array(buffer.slice(at, at + 8 * count));
    case "f4":
      return new Float32Array(buffer, at, count);
    case "i4":
      return new Int32Array(buffer, at, count);
    case "i1":
      return new Int8Array(buffer, at, count);
  }
}
