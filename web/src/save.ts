import type {DataColumn, Table, Value} from './data';
import {element} from './element';

export function download(name: string, content: Blob) {
  const address = URL.createObjectURL(content);
  const link = element('a', {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function csvCell(value: Value): string {
  if (value === null) return 'NaN';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(lines: Value[][]): Blob {
  return new Blob([lines.map((line) => line.map(csvCell).join(',') + '\n').join('')], {type: 'text/csv'});
}

export function csvOfColumns(columns: DataColumn[]): Blob {
  const rows = columns[0]?.values.map((_, i) => columns.map((column) => column.values[i] ?? null)) ?? [];
  return csv([columns.map((column) => column.name), ...rows]);
}

export function csvOfTable(table: Table): Blob {
  const rows = table.rows.map((row) => row.map((cell) => (typeof cell === 'object' && cell ? cell.value : cell)));
  return csv([table.columns.map((column) => column.title), ...rows]);
}

/** The picture with the colours of the light page in place of their names: it goes into papers and slides. */
export function withPlainColours(svg: string): string {
  const light = element('div', {class: 'light', hidden: true});
  document.body.append(light);
  const style = getComputedStyle(light);
  const plain = svg.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
  light.remove();
  return plain;
}

export async function pngOf(svg: string, scale = 3): Promise<Blob> {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'}));
  try {
    image.src = address;
    await image.decode();
    const canvas = element('canvas', {width: `${image.width * scale}`, height: `${image.height * scale}`});
    const context = canvas.getContext('2d')!;
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) =>
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture could not be made')))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
