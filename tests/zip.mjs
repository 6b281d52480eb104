// Zip archives for tests.

import { crc32, deflateRawSync } from "node:zlib";

const STORE = 0;
const DEFLATE = 8;

/**
 * An archive of these files, by their paths or as pairs; the first one is stored as it is, the others are packed. A third
 * part of a pair has what the archive says of the file against the truth: `flags`, `method`, `size`.
 *
 * @param {Record<string, string | Buffer> | [string, string | Buffer, { flags?: number, method?: number, size?: number }?][]} files
 */
export function zip(files) {
  const [bodies, directory] = [[], []];
  let offset = 0;
  (Array.isArray(files) ? files : Object.entries(files)).forEach(([path, content, said = {}], index) => {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const method = index === 0 ? STORE : DEFLATE;
    const packed = method === STORE ? bytes : deflateRawSync(bytes);
    // Version, flags, method, time, date, checksum, sizes, lengths of the name and of what follows it.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(said.flags ?? 0, 2);
    common.writeUInt16LE(said.method ?? method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(said.size ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", "latin1");
    common.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, name);
    const body = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, packed]);
    bodies.push(body);
    offset += body.length;
  });
  const size = Buffer.concat(directory).length;
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}
