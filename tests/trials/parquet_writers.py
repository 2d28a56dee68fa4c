#!/usr/bin/env python3
"""Reads random Parquet files of other writers, and compares each value with what another reader finds in the file.

    parquet_writers.py FOLDER [COUNT] [SEED]    520 files, seed 1: about two minutes

FOLDER has node_modules with npm's hyparquet, hyparquet-compressors, hyparquet-writer, apache-arrow, parquet-wasm (the
Rust library of Arrow), @duckdb/node-api, and, where it can be installed, nodejs-polars with its package for this
platform. Each writer has its own code for the format, and so have the two readers, hyparquet and DuckDB; a file is
never read by the library that wrote it.

Drawn at random: the columns (audio as a struct or as bytes alone, texts, numbers of all widths, times, decimals,
dictionaries, lists, structs and maps, each optional or not), nulls, rows, and what the writer offers of row groups,
pages, versions, compressions and encodings. `cat` must give a tar with the audio, the text and all other fields of
each row, and `repack` of a third of the files the same in the manifests, where fractions of decimals are floating
numbers. A difference is printed and its file stays; then, or if a library or the program fails, the exit code is 1.
FOUND names the folder for such files (a new one).
"""
import base64
import collections
import datetime
import decimal
import io
import json
import math
import os
import pathlib
import random
import shutil
import string
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

import sources

NODE = r"""
import {createInterface} from 'node:readline'
import {readFileSync, writeFileSync} from 'node:fs'
import {gzipSync} from 'node:zlib'
import * as arrow from 'apache-arrow'
import * as wasm from 'parquet-wasm'
import {DuckDBInstance, DuckDBTypeId} from '@duckdb/node-api'
import {parquetMetadata, parquetReadObjects, parquetSchema} from 'hyparquet'
import {isListLike, isMapLike} from 'hyparquet/src/schema.js'
import {compressors} from 'hyparquet-compressors'
import {parquetWriteBuffer} from 'hyparquet-writer'

const polars = await import('nodejs-polars').then(each => each.default, () => null)
const duck = await (await DuckDBInstance.create(':memory:', {threads: '1'})).connect()
const bytesOf = text => new Uint8Array(Buffer.from(text, 'base64'))
const base64 = bytes => Buffer.from(bytes).toString('base64')
const quoted = name => '"' + name.replaceAll('"', '""') + '"'
const real = value => typeof value === 'string' ? Number(value) : value

// What Arrow's builders take. Their times are in milliseconds, with a fraction that gives whole ticks again.
const ticks = (text, each) => {
  const value = Number(text) / each
  return Number.isInteger(value * each) ? value : Math.round(value)
}
const digits = (text, words) => {
  const bits = BigInt.asUintN(32 * words, BigInt(text))
  return Uint32Array.from({length: words}, (_, word) => Number(bits >> BigInt(32 * word) & 0xffffffffn))
}
const UNITS = {ms: arrow.TimeUnit.MILLISECOND, us: arrow.TimeUnit.MICROSECOND, ns: arrow.TimeUnit.NANOSECOND}
const IN_MILLISECOND = {ms: 1, us: 1e3, ns: 1e6}
const ARROW = {
  text: [kind => kind.large ? new arrow.LargeUtf8() : new arrow.Utf8(), (_, value) => value],
  json: [() => new arrow.Utf8(), (_, value) => value],
  uuid: [() => new arrow.Utf8(), (_, value) => value],
  dictionary: [() => new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()), (_, value) => value],
  binary: [kind => kind.large ? new arrow.LargeBinary() : new arrow.Binary(), (_, value) => bytesOf(value)],
  fixed: [kind => new arrow.FixedSizeBinary(kind.size), (_, value) => bytesOf(value)],
  boolean: [() => new arrow.Bool(), (_, value) => value],
  i8: [() => new arrow.Int8(), (_, value) => Number(value)],
  i16: [() => new arrow.Int16(), (_, value) => Number(value)],
  i32: [() => new arrow.Int32(), (_, value) => Number(value)],
  i64: [() => new arrow.Int64(), (_, value) => BigInt(value)],
  u8: [() => new arrow.Uint8(), (_, value) => Number(value)],
  u16: [() => new arrow.Uint16(), (_, value) => Number(value)],
  u32: [() => new arrow.Uint32(), (_, value) => Number(value)],
  u64: [() => new arrow.Uint64(), (_, value) => BigInt(value)],
  f16: [() => new arrow.Float16(), (_, value) => real(value)],
  f32: [() => new arrow.Float32(), (_, value) => real(value)],
  f64: [() => new arrow.Float64(), (_, value) => real(value)],
  date: [() => new arrow.DateDay(), (_, value) => value * 86400000],
  time: [kind => ({ms: new arrow.TimeMillisecond(), us: new arrow.TimeMicrosecond(),
                   ns: new arrow.TimeNanosecond()})[kind.unit],
         (kind, value) => kind.unit === 'ms' ? Number(value) : BigInt(value)],
  timestamp: [kind => new arrow.Timestamp(UNITS[kind.unit], kind.zone ? 'UTC' : null),
              (kind, value) => ticks(value, IN_MILLISECOND[kind.unit])],
  decimal: [kind => new arrow.Decimal(kind.scale, kind.precision, 128), (_, value) => digits(value, 4)],
  list: [kind => new arrow.List(arrowField('element', kind.of)),
         (kind, value) => value.map(each => arrowValue(kind.of, each))],
  struct: [kind => new arrow.Struct(kind.of.map(([name, inner]) => arrowField(name, inner))),
           (kind, value) => Object.fromEntries(kind.of.map(([name, inner], at) =>
             [name, arrowValue(inner, value[at])]))],
  map: [kind => new arrow.Map_(new arrow.Field('entries', new arrow.Struct(
          [new arrow.Field('key', new arrow.Utf8(), false), arrowField('value', kind.of)]), false)),
        (kind, value) => new Map(value.map(([key, each]) => [key, arrowValue(kind.of, each)]))],
}
const arrowField = (name, kind) => new arrow.Field(name, ARROW[kind.is][0](kind), kind.optional)
const arrowValue = (kind, value) => value === null ? null : ARROW[kind.is][1](kind, value)

function arrowTable({columns, rows}) {
  const fields = columns.map(column => arrowField(column.name, column.kind))
  const values = Array.from({length: rows}, (_, row) => Object.fromEntries(
    columns.map(column => [column.name, arrowValue(column.kind, column.values[row])])))
  const schema = new arrow.Schema(fields)
  const {data} = arrow.vectorFromArray(values, new arrow.Struct(fields))
  const table = new arrow.Table(schema, data.map(each => new arrow.RecordBatch(schema, each)))
  return wasm.Table.fromIPCStream(arrow.tableToIPC(table, 'stream'))
}

function writeWasm(task, path, options) {
  const builder = new wasm.WriterPropertiesBuilder()
  let properties = builder
    .setCompression(wasm.Compression[options.codec])
    .setWriterVersion(options.version === 2 ? wasm.WriterVersion.V2 : wasm.WriterVersion.V1)
    .setMaxRowGroupSize(options.group)
    .setDataPageSizeLimit(options.page)
    .setWriteBatchSize(options.batch)
    .setDictionaryPageSizeLimit(options.dictionaryPage)
    .setDictionaryEnabled(options.dictionary)
    .setStatisticsEnabled(options.statistics)
  for (const {name, encoding} of task.columns) {
    if (!encoding) continue
    properties = properties.setColumnDictionaryEnabled(name, false)
      .setColumnEncoding(name, wasm.Encoding[encoding])
  }
  writeFileSync(path, wasm.writeParquet(arrowTable(task), properties.build()))
}

// For the others, which read it and write it again.
const PLAIN = {codec: 'UNCOMPRESSED', version: 1, group: 1e6, page: 1e6, batch: 1024, dictionaryPage: 1e6,
               dictionary: true, statistics: 0}

async function writeDuck(task) {
  writeWasm({...task, columns: task.columns.map(column => ({...column, encoding: null}))}, task.base, PLAIN)
  const columns = task.columns.map(({name, cast}) =>
    cast ? `CAST(${quoted(name)} AS ${cast}) AS ${quoted(name)}` : quoted(name))
  await duck.run(`COPY (SELECT ${columns.join(', ')} FROM read_parquet('${task.base}')) TO '${task.path}' ` +
                 `(FORMAT parquet, ${task.options.clauses.join(', ')})`)
}

function writePolars(task) {
  if (!polars) throw new Error('Polars is not there')
  writeWasm({...task, columns: task.columns.map(column => ({...column, encoding: null}))}, task.base, PLAIN)
  const frame = polars.readParquet(task.base)
  if (task.options.whole) return frame.writeParquet(task.path, task.options.whole)
  frame.lazy().sinkParquet(task.path, task.options.sink).collectSync()
}

// The schema of hyparquet-writer, and its values.
const INTEGERS = {i8: 'INT_8', i16: 'INT_16', i32: 'INT_32', i64: 'INT_64', u8: 'UINT_8', u16: 'UINT_16',
                  u32: 'UINT_32', u64: 'UINT_64'}
function elements(name, kind) {
  const own = {name, repetition_type: kind.optional ? 'OPTIONAL' : 'REQUIRED'}
  const leaf = (type, more) => [{...own, type, ...more}]
  switch (kind.is) {
  case 'text': return leaf('BYTE_ARRAY', kind.bare ? {} : {converted_type: 'UTF8'})
  case 'dictionary': return leaf('BYTE_ARRAY', {converted_type: kind.bare ? 'ENUM' : 'UTF8'})
  case 'json': return leaf('BYTE_ARRAY', {converted_type: 'JSON'})
  case 'uuid': return leaf('FIXED_LEN_BYTE_ARRAY', {type_length: 16, logical_type: {type: 'UUID'}})
  case 'binary': return leaf('BYTE_ARRAY')
  case 'fixed': return leaf('FIXED_LEN_BYTE_ARRAY', {type_length: kind.size})
  case 'boolean': return leaf('BOOLEAN')
  case 'f16': return leaf('FIXED_LEN_BYTE_ARRAY', {type_length: 2, logical_type: {type: 'FLOAT16'}})
  case 'f32': return leaf('FLOAT')
  case 'f64': return leaf('DOUBLE')
  case 'date': return leaf('INT32', {converted_type: 'DATE'})
  case 'time': return kind.unit === 'ms' ? leaf('INT32', {converted_type: 'TIME_MILLIS'})
    : leaf('INT64', {converted_type: 'TIME_MICROS'})
  case 'timestamp': {
    const unit = {ms: 'MILLIS', us: 'MICROS', ns: 'NANOS'}[kind.unit]
    if (kind.bare) return leaf('INT64', {converted_type: 'TIMESTAMP_' + unit})
    return leaf('INT64', {logical_type: {type: 'TIMESTAMP', isAdjustedToUTC: kind.zone, unit}})
  }
  case 'decimal': {
    const more = {converted_type: 'DECIMAL', scale: kind.scale, precision: kind.precision}
    return leaf(kind.physical, kind.physical.startsWith('FIXED') ? {...more, type_length: 16} : more)
  }
  case 'list': return [{...own, converted_type: 'LIST', num_children: 1},
                       {name: kind.names[0], repetition_type: 'REPEATED', num_children: 1},
                       ...elements(kind.names[1], kind.of)]
  case 'struct': return [{...own, num_children: kind.of.length},
                         ...kind.of.flatMap(([inner, below]) => elements(inner, below))]
  case 'map': return [{...own, converted_type: 'MAP', num_children: 1},
                      {name: 'key_value', repetition_type: 'REPEATED', num_children: 2},
                      {name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED'},
                      ...elements('value', kind.of)]
  default: return leaf(kind.is.endsWith('64') ? 'INT64' : 'INT32', {converted_type: INTEGERS[kind.is]})
  }
}
function plainValue(kind, value) {
  if (value === null) return null
  switch (kind.is) {
  case 'json': return JSON.parse(value)
  case 'text': return kind.bare ? new TextEncoder().encode(value) : value
  case 'binary': case 'fixed': return bytesOf(value)
  case 'i64': case 'u64': case 'decimal': case 'timestamp': return BigInt(value)
  case 'time': return kind.unit === 'ms' ? Number(value) : BigInt(value)
  case 'f16': case 'f32': case 'f64': return real(value)
  case 'list': return value.map(each => plainValue(kind.of, each))
  case 'struct': return Object.fromEntries(kind.of.map(([name, inner], at) => [name, plainValue(inner, value[at])]))
  case 'map': return new Map(value.map(([key, each]) => [key, plainValue(kind.of, each)]))
  default: return kind.is in INTEGERS ? Number(value) : value
  }
}
function writeHyparquet({columns, path, options}) {
  const columnData = columns.map(({name, kind, values, encoding}) => ({
    name, data: values.map(value => plainValue(kind, value)), ...encoding && {encoding}}))
  const schema = [{name: 'root', num_children: columns.length},
                  ...columns.flatMap(({name, kind}) => elements(name, kind))]
  const packers = {GZIP: bytes => new Uint8Array(gzipSync(bytes))}
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({columnData, schema, compressors: packers, ...options})))
}

// What readers find: null, true, a text, a list, or an object of one member that says what it is.
const number = value => Object.is(value, -0) ? '-0' : String(value)
const ofTimestamp = digits => value => ({ticks: value, digits})
const parsers = {
  timestampFromMilliseconds: ofTimestamp(3), timestampFromMicroseconds: ofTimestamp(6),
  timestampFromNanoseconds: ofTimestamp(9), dateFromDays: day => ({day}),
  stringFromBytes: bytes => bytes && Buffer.from(bytes).toString(),
  jsonFromBytes: bytes => bytes && Buffer.from(bytes).toString(),
}
// A block of LZ4 that holds nothing is an error to hyparquet-compressors.
const unpackers = {...compressors, LZ4_RAW: (packed, size) =>
  size ? compressors.LZ4_RAW(packed, size) : new Uint8Array()}
const nanoseconds = (value, digits) => String(BigInt(value) * 10n ** BigInt(9 - digits))
function ofHyparquet(tree, value) {
  if (value === null || value === undefined) return null
  const {element, children} = tree
  if (isListLike(tree)) {
    const [middle] = children
    const inner = middle.children.length === 1 ? middle.children[0] : middle
    return Array.from(value, each => ofHyparquet(inner, each))
  }
  if (isMapLike(tree))
    return {map: Object.entries(value).map(([key, each]) => [key, ofHyparquet(children[0].children[1], each)])}
  if (children.length)
    return {struct: children.map(child => [child.element.name, ofHyparquet(child, value[child.element.name])])}
  const {type, converted_type, logical_type, scale} = element
  if (value.ticks !== undefined)
    return {timestamp: nanoseconds(value.ticks, value.digits), digits: value.digits,
            zone: logical_type?.type === 'TIMESTAMP' ? logical_type.isAdjustedToUTC : true}
  if (value.day !== undefined) return {day: value.day}
  if (converted_type === 'DECIMAL') return {decimal: value.toFixed(scale ?? 0)}
  if (converted_type?.startsWith('TIME_') || logical_type?.type === 'TIME') {
    const digits = {TIME_MILLIS: 3, TIME_MICROS: 6}[converted_type] ??
      {MILLIS: 3, MICROS: 6, NANOS: 9}[logical_type.unit]
    return {time: nanoseconds(value, digits), digits}
  }
  if (value instanceof Uint8Array) return {bytes: base64(value), fixed: type === 'FIXED_LEN_BYTE_ARRAY'}
  if (type === 'INT32' || type === 'INT64') return {integer: String(value)}
  if (type === 'FLOAT') return {single: number(value)}
  return typeof value === 'number' ? {double: number(value)} : value
}
async function readHyparquet(path) {
  const data = readFileSync(path)
  const file = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const metadata = parquetMetadata(file, {geoparquet: false})
  const {children} = parquetSchema(metadata)
  const rows = await parquetReadObjects({file, metadata, compressors: unpackers, utf8: false, geoparquet: false,
                                         parsers})
  return {names: children.map(child => child.element.name),
          rows: rows.map(row => children.map(child => ofHyparquet(child, row[child.element.name])))}
}
function ofDuck(type, value) {
  if (value === null) return null
  const ID = DuckDBTypeId
  switch (type.typeId) {
  case ID.LIST: case ID.ARRAY: return value.items.map(each => ofDuck(type.valueType, each))
  case ID.MAP: return {map: value.entries.map(entry => [entry.key, ofDuck(type.valueType, entry.value)])}
  case ID.STRUCT: return {struct: type.entryNames.map((name, at) =>
    [name, ofDuck(type.entryTypes[at], value.entries[name])])}
  case ID.BLOB: return {bytes: base64(value.bytes)}
  case ID.UUID: return value.toString()
  case ID.FLOAT: return {single: number(value)}
  case ID.DOUBLE: return {double: number(value)}
  case ID.DATE: return {day: value.days}
  case ID.TIME: return {time: nanoseconds(value.micros, 6)}
  case ID.TIME_NS: return {time: nanoseconds(value.nanos, 9)}
  case ID.TIMESTAMP: return {timestamp: nanoseconds(value.micros, 6), zone: false}
  case ID.TIMESTAMP_TZ: return {timestamp: nanoseconds(value.micros, 6), zone: true}
  case ID.TIMESTAMP_MS: return {timestamp: nanoseconds(value.millis, 3), zone: false}
  case ID.TIMESTAMP_S: return {timestamp: nanoseconds(value.seconds, 0), zone: false}
  case ID.TIMESTAMP_NS: return {timestamp: nanoseconds(value.nanos, 9), zone: false}
  case ID.DECIMAL: return {decimal: value.toString()}
  case ID.BOOLEAN: case ID.VARCHAR: case ID.ENUM: return value
  case ID.TINYINT: case ID.SMALLINT: case ID.INTEGER: case ID.BIGINT: case ID.UTINYINT: case ID.USMALLINT:
  case ID.UINTEGER: case ID.UBIGINT: return {integer: String(value)}
  default: throw new Error('no value is known of the type ' + type)
  }
}
// The old annotations of times are UTC, as the format says; DuckDB gives them no time zone.
const OLD_TIMES = `SELECT name FROM parquet_schema($1)
  WHERE converted_type IN ('TIMESTAMP_MILLIS', 'TIMESTAMP_MICROS') AND logical_type IS NULL`
async function readDuck(path) {
  const found = await duck.runAndReadAll('FROM read_parquet($1)', [path])
  const types = found.columnTypes()
  const names = found.columnNames()
  const old = new Set((await duck.runAndReadAll(OLD_TIMES, [path])).getRows().flat())
  const rows = found.getRows().map(row => row.map((each, at) => {
    const value = ofDuck(types[at], each)
    return value?.timestamp && old.has(names[at]) ? {...value, zone: true} : value
  }))
  return {names, rows}
}

const WRITERS = {'parquet-wasm': task => writeWasm(task, task.path, task.options), DuckDB: writeDuck,
                 Polars: writePolars, 'hyparquet-writer': writeHyparquet}
const READERS = {hyparquet: readHyparquet, DuckDB: readDuck}
console.log(JSON.stringify({polars: !!polars}))
for await (const line of createInterface({input: process.stdin})) {
  const task = JSON.parse(line)
  let answer
  try {
    if (task.writer) await WRITERS[task.writer](task)
    answer = await READERS[task.reader](task.path)
  } catch (failure) {
    answer = {failure: String(failure?.stack ?? failure)}
  }
  console.log(JSON.stringify(answer))
}
"""

INTEGERS = {f"{sign}{bits}": (0 if sign == "u" else -2 ** (bits - 1), 2 ** (bits - (sign == "i")) - 1)
            for sign in "iu" for bits in (8, 16, 32, 64)}
SIMPLE = ("text", "text", "dictionary", "binary", "fixed", "boolean", *INTEGERS, "f16", "f32", "f64", "f64", "date",
          "time", "timestamp", "timestamp", "decimal", "decimal", "uuid", "json")
TEXTS = ("text", "sentence", "transcription", "transcript", "normalized_text", "raw_text", "raw_transcription",
         "normalized_transcription", "txt", "caption")
SPEAKERS = ("speaker", "speaker_id", "spk_id", "spk", "client_id", "user_id", "speaker_name")
AUDIO = ("audio", "audio", "audio", "speech", "wav", "audio_bytes", "Audio")
NAMES = ("score", "Größe", "情感", "up votes", "x-1", 'quo"te', "a'b", "locale", "accent", "segment", "Age", "n",
         "_", "meta_data", "very_" * 12 + "long")
LETTERS = string.ascii_lowercase + "   äßéñ漢字語 \U0001F600"
PIECES = ("", "\n", "\t", '"', "\\", "\u2028", "\x85", "\x7f", "\x01", "\u0301", "\uffff", "\ufffd", "{}", "null",
          "1.0")
MOST_EXACT = 15  # decimal digits that a double holds, as hyparquet gives them
REPACKED = 0.33


class Draw:
    """One file: its columns with all values, its writer with options, and its reader."""

    def __init__(self, chance, writers):
        self.chance = chance
        self.writer = chance.choice(writers)
        self.reader = {"DuckDB": "hyparquet", "hyparquet-writer": "DuckDB"}.get(self.writer)
        self.reader = self.reader or chance.choice(("hyparquet", "DuckDB"))
        size = chance.choices(("tiny", "usual", "many", "large"), (15, 72, 4, 9))[0]
        self.rows = chance.randint(*{"tiny": (1, 3), "usual": (4, 90), "many": (1500, 4000), "large": (3, 20)}[size])
        self.frames = (2000, 40_000) if size == "large" else (20, 300)
        self.columns = []
        self.add_audio()
        self.add_names(size)
        chance.shuffle(self.columns)
        self.options = OPTIONS[self.writer](self)

    def maybe(self, share=0.5):
        return self.chance.random() < share

    def add(self, name, kind, values, cast=None):
        encoding = self.encoding(kind) if self.maybe(0.4) else None
        self.columns.append({"name": name, "kind": kind, "values": values, "cast": cast, "encoding": encoding})

    def free_name(self, names):
        taken = {column["name"].lower() for column in self.columns}
        free = [name for name in names if name.lower() not in taken]
        return self.chance.choice(free)

    def add_audio(self):
        chance, rows = self.chance, range(self.rows)
        nulls = 0 if self.maybe(0.75) else chance.choice((0.1, 0.5))
        audio = [None if chance.random() < nulls else
                 base64.b64encode(sources.wav(chance.randbytes(2 * chance.randint(*self.frames)), 8000, 16)).decode()
                 for _ in rows]
        self.missing_audio = None in audio
        binary = {"is": "binary", "optional": self.missing_audio or self.maybe(), "large": self.maybe(0.2)}
        if self.maybe(0.2):
            return self.add(self.free_name([name for name in AUDIO if name != "Audio"]), binary, audio)
        stem = chance.choice(("clip_{}", "a.b.{}", "语音 {}", "{}", "x" * 60 + "{}"))
        form = chance.choice(("clips/{}.wav", "{}.wav", "/data/a b/{}.flac", "{}", "s3://bucket/x/{}.mp3"))
        paths = [form.format(stem.format(row * 7 + 1)) for row in rows]
        what = chance.choices(("unique", "same", "none", "some"), (70, 10, 10, 10))[0]
        if what == "same":
            paths = [form.format("same")] * self.rows
        elif what != "unique":
            paths = [None if what == "none" or chance.random() < 0.3 else path for path in paths]
        text = {"is": "text", "optional": None in paths or self.maybe(), "large": self.maybe(0.2)}
        parts = [("bytes", binary, audio), ("path", text, paths)]
        if self.maybe(0.2):
            rates = [chance.choice((8000, None)) for _ in rows]
            parts.append(("sampling_rate", {"is": "i32", "optional": True}, rates))
        if self.maybe(0.3):
            chance.shuffle(parts)
        values = [[part[2][row] for part in parts] for row in rows]
        kind = {"is": "struct", "optional": self.maybe(), "of": [part[:2] for part in parts]}
        if kind["optional"] and self.missing_audio and self.maybe():
            values = [None if row[[part[0] for part in parts].index("bytes")] is None else row for row in values]
        self.add(chance.choice(AUDIO), kind, values)

    def add_names(self, size):
        chance = self.chance
        if self.maybe(0.85):
            for name in chance.sample(TEXTS, chance.choice((1, 1, 1, 2))):
                kind = {"is": chance.choice(("text", "text", "text", "dictionary")), "bare": self.maybe(0.2),
                        "large": self.maybe(0.2), "optional": self.maybe(0.7)}
                self.add(name, kind, self.values(kind, transcripts=True))
        if self.maybe(0.3):
            kind = {"is": chance.choice(("text", "i32", "i64", "u16", "dictionary")), "optional": self.maybe()}
            self.add(chance.choice(SPEAKERS), kind, self.values(kind))
        if self.maybe(0.2):
            kind = {"is": "i64", "optional": False}
            self.add("id", kind, [str(number) for number in chance.sample(range(10 * self.rows), self.rows)])
        if self.maybe(0.05):
            binary, text = {"is": "binary", "optional": True}, {"is": "text", "optional": True}
            self.add("picture", {"is": "struct", "optional": True, "of": [("bytes", binary), ("path", text)]},
                     [[base64.b64encode(b"\x89PNG").decode(), "a.png"]] * self.rows)
        for _ in range(chance.randint(0, 2 if size == "many" else 9)):
            kind = self.kind(0)
            self.add(self.free_name(NAMES), kind, self.values(kind), self.cast(kind))

    def kind(self, depth):
        chance = self.chance
        kind = {"optional": self.maybe(0.7)}
        if depth < 3 and self.maybe(0.3):
            kind["is"] = chance.choice(("list", "list", "struct", "map"))
            if kind["is"] == "struct":
                kind["of"] = [(name, self.kind(depth + 1))
                              for name in chance.sample(("a", "b", "w", "start", "值"), chance.randint(1, 3))]
                return kind
            kind["of"] = self.kind(depth + 1)
            kind["names"] = chance.choice((("list", "element"), ("bag", "array_element"), ("list", "item")))
            return kind
        kind["is"] = chance.choice([each for each in SIMPLE if depth == 0 or each != "dictionary"])
        kind["large"], kind["bare"] = self.maybe(0.2), self.maybe()
        units = ["ms", "us"] if self.writer == "hyparquet-writer" or self.reader == "DuckDB" else ["ms", "us", "ns"]
        if kind["is"] == "fixed":
            kind["size"] = chance.randint(1, 20)
        elif kind["is"] == "time":
            kind["unit"] = chance.choice(units)
        elif kind["is"] == "timestamp":
            kind["zone"] = self.maybe()
            # DuckDB has no nanoseconds with a time zone.
            kind["unit"] = chance.choice(units if kind["zone"] else ["ms", "us", "ns"])
            kind["bare"] = kind["bare"] and kind["unit"] != "ns" and depth == 0
        elif kind["is"] == "decimal":
            kind["precision"] = chance.randint(1, MOST_EXACT if self.reader == "hyparquet" else 38)
            kind["scale"] = chance.randint(0, kind["precision"])
            fits = [name for name, most in (("INT32", 9), ("INT64", 18), ("FIXED_LEN_BYTE_ARRAY", 38),
                                            ("BYTE_ARRAY", 38)) if kind["precision"] <= most]
            kind["physical"] = chance.choice(fits)
        return kind

    def values(self, kind, transcripts=False, count=None):
        """Half of the columns repeat few values, so that dictionaries and runs come; some change slowly."""
        chance, count = self.chance, self.rows if count is None else count
        few = kind["is"] == "dictionary" or self.maybe()
        pool = [self.value(kind, transcripts) for _ in range(chance.choice((1, 2, 3, 20)) if few else 0)]
        nulls = chance.choice((0, 0, 0.1, 0.5, 0.9, 1)) if kind["optional"] else 0
        values = [chance.choice(pool) if few else self.value(kind, transcripts) for _ in range(count)]
        if kind["is"] in INTEGERS and self.maybe(0.3):
            values = [str(value) for value in sorted(map(int, values))]
        length = chance.choice((1, 1, 20))  # of runs of nulls
        is_null = [chance.random() < nulls for _ in range(count // length + 1)]
        return [None if is_null[row // length] else value for row, value in enumerate(values)]

    def value(self, kind, transcripts=False):
        chance, is_ = self.chance, kind["is"]
        if is_ in INTEGERS:
            least, most = INTEGERS[is_]
            if is_ == "u32" and self.writer == "DuckDB":
                most = 2**31 - 1  # it begins a block of differences with 64 bits, which hyparquet takes for 32
            span = chance.choice((3, 100, 2**20, 2**64))
            return str(chance.choice((least, most, max(least, min(most, chance.randint(-span, span))))
                                     if self.maybe(0.2) else (max(least, min(most, chance.randint(-span, span))),)))
        if is_ in ("text", "dictionary"):
            return self.text(transcripts)
        if is_ == "json":
            return json.dumps({"k": self.text(True), "n": [chance.randint(0, 9), None]}, ensure_ascii=False)
        if is_ == "uuid":
            digits = chance.randbytes(16).hex()
            return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        if is_ == "binary":
            data = self.text().encode() if self.maybe(0.3) else chance.randbytes(chance.randint(0, 30))
            return base64.b64encode(data).decode()
        if is_ == "fixed":
            return base64.b64encode(b"\xff" + chance.randbytes(kind["size"] - 1)).decode()
        if is_ == "boolean":
            return self.maybe()
        if is_ in ("f16", "f32", "f64"):
            return self.real(is_)
        if is_ == "date":
            return chance.choice((chance.randint(-3000, 30_000), chance.randint(-140_000, 2_900_000)))
        if is_ == "time":
            return str(chance.randrange(86_400 * 10 ** {"ms": 3, "us": 6, "ns": 9}[kind["unit"]]))
        if is_ == "timestamp":
            # Within two hours, or from 1684 to 2255.
            seconds = chance.choice((1_700_000_000 + chance.randrange(7200), chance.randrange(-9 * 10**9, 9 * 10**9)))
            each = 10 ** {"ms": 3, "us": 6, "ns": 9}[kind["unit"]]
            return str(seconds * each + chance.choice((0, chance.randrange(each))))
        if is_ == "decimal":
            most = 10 ** chance.randint(1, kind["precision"]) - 1
            return str(chance.randint(-most, most))
        if is_ == "list":
            return self.values(kind["of"], count=chance.choice((0, 1, 2, 3, 3, 12)))
        if is_ == "struct":
            return [self.values(inner, count=1)[0] for _, inner in kind["of"]]
        keys = chance.sample(("a", "b", "key 3", "ключ", "z"), chance.randint(0, 4))
        return [[key, value] for key, value in zip(keys, self.values(kind["of"], count=len(keys)))]

    def real(self, form):
        chance = self.chance
        if self.maybe(0.1):
            return chance.choice(("NaN", "Infinity", "-Infinity", -0.0, 1e-7, 65504.0))
        value = chance.choice((chance.randint(-1000, 1000), chance.uniform(-1, 1), chance.gauss(0, 1000), 0.1))
        if form == "f64" and self.maybe(0.3):
            bits, = struct.unpack("<d", chance.randbytes(8))
            return bits if math.isfinite(bits) else value
        if form == "f32" and self.maybe(0.3):
            bits, = struct.unpack("<f", chance.randbytes(4))
            return bits if math.isfinite(bits) else value
        return value

    def text(self, transcripts=False):
        chance = self.chance
        words = "".join(chance.choices(LETTERS, k=chance.choice((0, 3, 12, 40, 40, 500))))
        if self.maybe(0.2):
            at = chance.randint(0, len(words))
            # DuckDB's package for node drops a byte order mark, which its database keeps.
            marks = () if transcripts else ("\0", "\r") if self.reader == "DuckDB" else ("\0", "\r", "\ufeff")
            words = words[:at] + chance.choice(PIECES + marks) + words[at:]
        return words

    def cast(self, kind):
        """What DuckDB makes of a column before it writes it."""
        if kind["is"] == "uuid":
            return "UUID"
        if kind["is"] == "json" and self.maybe():
            return "JSON"
        if kind["is"] == "timestamp" and not kind["zone"] and kind["unit"] != "ns":
            return self.chance.choice((None, None, "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"))
        if kind["is"] in INTEGERS and kind["is"] in ("i8", "u8", "i16"):
            return self.chance.choice((None, "HUGEINT", "DECIMAL(9, 3)"))
        return None

    def encoding(self, kind):
        """One that the values of a column may have; of those that are nested, only hyparquet-writer is told."""
        hyparquet = self.writer == "hyparquet-writer"
        if kind["is"] == "struct" and hyparquet and {inner["is"] for _, inner in kind["of"]} <= {"text", "binary"}:
            kind = kind["of"][0][1]
        names = {"boolean": ["PLAIN", "RLE"], "f32": ["PLAIN", "BYTE_STREAM_SPLIT"],
                 "f64": ["PLAIN", "BYTE_STREAM_SPLIT"],
                 **dict.fromkeys(("text", "binary"), ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]),
                 **dict.fromkeys(("fixed", "f16"), ["PLAIN"]),
                 **dict.fromkeys((*INTEGERS, "date", "timestamp"), ["PLAIN", "DELTA_BINARY_PACKED"])}.get(kind["is"])
        if not names:
            return None
        if self.reader == "hyparquet" and kind["is"] not in ("boolean", "text", "binary", "f32", "f64"):
            names.append("BYTE_STREAM_SPLIT")  # which DuckDB reads only of floating numbers
        return self.chance.choice(names + ["RLE_DICTIONARY"] if hyparquet and kind["is"] != "boolean" else names)


def wasm_options(draw):
    chance = draw.chance
    return {"codec": chance.choice(("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW")),
            "version": chance.choice((1, 2)), "group": chance.choice((1, 3, 10, 64, 1000, 1_000_000)),
            "page": chance.choice((1, 100, 3000, 1_000_000)), "batch": chance.choice((1, 3, 10, 1024)),
            "dictionaryPage": chance.choice((20, 300, 1_000_000)), "dictionary": draw.maybe(0.6),
            "statistics": chance.randint(0, 2)}


def duck_options(draw):
    chance = draw.chance
    clauses = [f"COMPRESSION {chance.choice(('uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw'))}",
               f"PARQUET_VERSION {chance.choice(('V1', 'V2'))}",
               f"ROW_GROUP_SIZE {chance.choice((1, 100, 2048, 3000, 122880))}"]
    if draw.maybe(0.3):
        clauses.append(f"DICTIONARY_SIZE_LIMIT {chance.choice((1, 10, 10_000))}")
    if draw.maybe(0.2):
        clauses.append(f"STRING_DICTIONARY_PAGE_SIZE_LIMIT {chance.choice((20, 5000))}")
    return {"clauses": clauses}


def polars_options(draw):
    chance = draw.chance
    codec = chance.choice(("uncompressed", "snappy", "gzip", "zstd", "lz4"))
    if draw.maybe(0.3):
        return {"whole": {"compression": codec}}
    return {"sink": {"compression": codec, "rowGroupSize": chance.choice((1, 5, 50, 1000, 100_000)),
                     "dataPagesizeLimit": chance.choice((1, 100, 3000, 1_000_000)), "statistics": draw.maybe()}}


def hyparquet_options(draw):
    chance = draw.chance
    return {"codec": chance.choice(("UNCOMPRESSED", "SNAPPY", "GZIP")), "statistics": draw.maybe(),
            "rowGroupSize": chance.choice((1, 3, 10, 64, [2, 50], 1_000_000)),
            "pageSize": chance.choice((1, 100, 3000, 1_000_000))}


OPTIONS = {"parquet-wasm": wasm_options, "DuckDB": duck_options, "Polars": polars_options,
           "hyparquet-writer": hyparquet_options}


class Node:
    """The process that has all libraries."""

    def __init__(self, folder):
        self.process = subprocess.Popen(["node", "--no-warnings", "--max-old-space-size=4096", "--input-type=module",
                                         "-e", NODE], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.has_polars = self.answer()["polars"]

    def ask(self, **task):
        self.process.stdin.write(json.dumps(task).encode() + b"\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"parquet_writers: node ended with code {self.process.wait()}")
        return json.loads(line)


def moment(nanoseconds, digits):
    days, rest = divmod(nanoseconds, 86_400 * 10**9)
    return f"{date(days)}T{clock(rest, digits)}"


def date(days):
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days)).isoformat()


def clock(nanoseconds, digits):
    seconds, fraction = divmod(nanoseconds, 10**9)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:09}"[:9 + digits]


def digits_of(text, truth):
    """How many a time should have: DuckDB does not say the unit of the file."""
    found = len(text.removesuffix("Z").rpartition(".")[2])
    return truth.get("digits") or (found if found in (3, 6, 9) else 9)


def same(truth, found):
    """Whether a value of a JSON member is what the other reader found. Fractions come as decimals."""
    if truth is None or isinstance(truth, (bool, str)):
        return type(found) is type(truth) and found == truth
    if isinstance(truth, list):
        return isinstance(found, list) and len(found) == len(truth) and all(map(same, truth, found))
    kind, value = next(iter(truth.items()))
    if kind in ("struct", "map"):
        return (isinstance(found, dict) and found.keys() == dict(value).keys() and
                all(same(each, found[name]) for name, each in value))
    if kind == "integer":
        return type(found) is int and found == int(value)
    if kind == "decimal":
        return type(found) in (int, decimal.Decimal) and format(decimal.Decimal(found), "f") == value
    if kind in ("single", "double"):
        number = float(value)
        if not math.isfinite(number):
            return found is None
        form = "<f" if kind == "single" else "<d"
        return type(found) is decimal.Decimal and struct.pack(form, float(found)) == struct.pack(form, number)
    if kind == "bytes":
        return same(as_text(truth), found)
    if type(found) is not str:
        return False
    if kind == "day":
        return found == date(value)
    if kind == "time":
        digits = digits_of(found, truth)
        return found == clock(int(value), digits) and int(value) % 10 ** (9 - digits) == 0
    digits = digits_of(found, truth)
    whole = int(value) % 10 ** (9 - digits) == 0
    return whole and found == moment(int(value), digits) + ("Z" if truth["zone"] else "")


def as_text(value):
    """A text, also where its column does not say that it is one."""
    if value is None or isinstance(value, str):
        return value
    data = base64.b64decode(value["bytes"])
    try:
        return None if value.get("fixed") else data.decode()
    except UnicodeDecodeError:
        return None


def base_name(path):
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return stem if dot and stem and extension in ("wav", "flac", "mp3") else name


def as_key(text):
    return "".join("_" if letter in "/\\." or ord(letter) < 0x20 or ord(letter) == 0x7F else letter for letter in text)


class Row:
    """What the program should give for a row."""

    def __init__(self, names, row):
        self.audio, self.path, self.text, self.id, self.fields = None, None, None, None, {}
        taken = next((name for name in TEXTS if name in names), None)
        speaker = next((name for name in SPEAKERS if name in names), None)
        for name, value in zip(names, row):
            if name in AUDIO:
                parts = dict(value["struct"]) if value and "struct" in value else {"bytes": value}
                self.audio = base64.b64decode(parts["bytes"]["bytes"]) if parts["bytes"] else None
                self.path = parts.get("path")
            elif name == speaker:
                is_number = name != "speaker" and value and "integer" in value
                self.fields["speaker"] = value["integer"] if is_number else value
            elif name != "picture":
                self.fields[name] = value
            if name == taken:
                self.text = as_text(value)
            if name == "id":
                self.id = value["integer"]
        self.text_column = taken
        if self.path:
            self.fields["path"] = self.path


def keys_of(rows, path):
    for keys in ([row.path and as_key(base_name(row.path)) for row in rows], [row.id for row in rows]):
        if all(keys) and len(set(keys)) == len(keys):
            return keys
    return [f"{path.stem}_{row:0{len(str(len(rows)))}}" for row in range(len(rows))]


def read_json(text):
    def members(pairs):
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError(f"a name comes twice: {text}")
        return dict(pairs)
    return json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=members)


def program(folder, *words):
    done = subprocess.run([sources.PROGRAM, *map(str, words)], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Difference(f"shardmill {words[0]}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


class Difference(Exception):
    pass


def check(is_true, *what):
    if not is_true:
        raise Difference(" ".join(map(str, what)))


def check_fields(fields, found, where):
    for name, truth in fields.items():
        check(same(truth, found.get(name)), where, name, "should be", truth, "and is", repr(found.get(name)))


def in_manifest(truth):
    """Fractions that are decimals are floating numbers in a manifest."""
    if isinstance(truth, list):
        return [in_manifest(each) for each in truth]
    if not isinstance(truth, dict):
        return truth
    kind, value = next(iter(truth.items()))
    if kind in ("struct", "map"):
        return {kind: [[name, in_manifest(each)] for name, each in value]}
    return {"double": value} if kind == "decimal" and "." in value else truth


def check_cat(path, rows, keys):
    tar, found = tarfile.open(fileobj=io.BytesIO(program(path.parent, "cat", path))), {}
    for member in tar:
        key, _, extension = member.name.rpartition(".")
        check(extension not in found.setdefault(key, {}), "cat:", member.name, "comes twice")
        found[key][extension] = tar.extractfile(member).read()
    check(list(found) == keys, "cat: keys", list(found)[:5], "and should be", keys[:5])
    for row, (key, members) in zip(rows, found.items()):
        check(members.pop("wav", None) == row.audio, "cat:", key, "has other audio")
        text = members.pop("txt", b"").decode() if row.text is not None or "txt" in members else None
        check(text == row.text, "cat:", key, "has the text", repr(text), "and should have", repr(row.text))
        fields = read_json(members.pop("json"))
        check_fields(row.fields, fields, f"cat: {key}")
        check(fields.keys() == row.fields.keys(), "cat:", key, "has", list(fields), "and not", list(row.fields))
        check(not members, "cat:", key, "has members", list(members))


def trimmed(text):
    """A transcript as docs/corpora.md says; those drawn here have no other blanks at their ends."""
    return (text or "").strip(" \t\n")


def check_repack(path, rows, keys):
    out = path.parent / "out"
    program(path.parent, "repack", f"parquet:{path.name}", "--out", out, "--shards",
            2 if sum(row.audio is not None for row in rows) > 1 else 1, "-q", "--allow-missing-text", "--on-error",
            "skip" if any(row.audio is None for row in rows) else "stop", "--max-rejects", "all")
    found = {}
    for shard in map(json.loads, (out / "shards.jsonl").read_text().splitlines()):
        manifest = out / "manifests" / f"manifest_{shard['shard_id']:09}.json"
        with tarfile.open(out / shard["path"]) as tar:
            for line in map(read_json, manifest.read_text().splitlines()):
                found[line["source_key"]] = line, tar.extractfile(line["audio_filepath"]).read()
    there = {key: row for key, row in zip(keys, rows) if row.audio is not None}
    check(found.keys() == there.keys(), "repack: keys", sorted(found)[:5], "and should be", sorted(there)[:5])
    for key, row in there.items():
        line, audio = found[key]
        check(audio == row.audio, "repack:", key, "has other audio")
        check((line.get("text") or "") == trimmed(row.text), "repack:", key, "has the text", repr(line.get("text")),
              "and should have", repr(trimmed(row.text)))
        fields = {name: in_manifest(value) for name, value in row.fields.items() if name != row.text_column}
        check_fields(fields, line, f"repack: {key}")


def run(node, folder, chance, writers):
    """One file: its writer, its rows, and what is wrong with it, if anything is."""
    draw = Draw(chance, writers)
    path = folder / "file.parquet"
    task = {"columns": draw.columns, "rows": draw.rows, "options": draw.options, "path": str(path),
            "base": str(folder / "base.parquet")}
    read = node.ask(writer=draw.writer, reader=draw.reader, **task)
    about = f"{draw.writer} {json.dumps(draw.options)}, read by {draw.reader}"
    if "failure" in read:
        return draw, f"{about}: {read['failure']}"
    if len(read["rows"]) != draw.rows:
        return draw, f"{about}: {len(read['rows'])} rows of {draw.rows}"
    try:
        rows = [Row(read["names"], row) for row in read["rows"]]
        keys = keys_of(rows, path)
        check_cat(path, rows, keys)
        if chance.random() < REPACKED and any(row.audio for row in rows):
            check_repack(path, rows, keys)
    except (Difference, ValueError, KeyError) as found:
        return draw, f"{about}: {type(found).__name__}: {str(found)[:1500]}"
    return draw, None


def main(libraries, count=520, seed=1):
    node = Node(libraries)
    writers = [name for name in OPTIONS if name != "Polars" or node.has_polars]
    begin, wrong, rows = time.monotonic(), 0, 0
    good, all_ = collections.Counter(), collections.Counter()
    kept = pathlib.Path(os.environ.get("FOUND") or tempfile.mkdtemp(prefix="shardmill-parquet-"))
    kept.mkdir(exist_ok=True)
    for number in range(count):
        with tempfile.TemporaryDirectory(prefix="shardmill-parquet-") as name:
            folder = pathlib.Path(name)
            draw, difference = run(node, folder, random.Random(f"{seed} {number}"), writers)
            all_[draw.writer] += 1
            if difference is None:
                good[draw.writer] += 1
                rows += draw.rows
                continue
            wrong += 1
            file = kept / f"{seed}-{number}.parquet"
            if (folder / "file.parquet").exists():
                shutil.copy(folder / "file.parquet", file)
            print(f"number {number}, {file}: {difference}", flush=True)
    node.process.stdin.close()
    if not any(kept.iterdir()):
        kept.rmdir()
    print(f"{count - wrong} of {count} files equal, {rows} rows, {time.monotonic() - begin:.0f} s, by writer: "
          + ", ".join(f"{writer} {good[writer]} of {all_[writer]}" for writer in writers))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).absolute(), *map(int, sys.argv[2:])))
