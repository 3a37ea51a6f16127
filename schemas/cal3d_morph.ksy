# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: cal3d_morph
  title: Cal3D morph animation
  file-extension:
    - cpf
    - xpf
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A `.cpf` file: tracks of morph weights. One layout, that of IMVU and the main line; the branch of 1301 has another,
  of which its own reader and writer disagree.


  The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the
  dialect mp1301 has the layout of version 1301. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x50, 0x46, 0x00]
    doc: |
      `CPF` and a NUL.
  - id: version
    type: s4
    doc: |
      The number of the library that wrote it.
  - id: duration
    type: f4
    doc: |
      Length in seconds.
  - id: num_tracks
    type: s4
    doc: |
      Number of elements of `tracks`.
  - id: tracks
    type: morph_track
    repeat: expr
    repeat-expr: num_tracks
    doc: |
      The tracks.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the last track.
types:
  morph_key:
    doc: |
      How far a morph target is taken at a time.
    seq:
      - id: time
        type: f4
        doc: |
          Seconds.
      - id: weight
        type: f4
        doc: |
          0 not at all to 1 fully.
  morph_track:
    doc: |
      The keys of a morph target.
    seq:
      - id: len_morph_name
        type: s4
        doc: |
          Length in bytes of `morph_name`.
      - id: morph_name
        size: len_morph_name
        doc: |
          The name of the morph target.
      - id: num_keys
        type: s4
        doc: |
          Number of elements of `keys`.
      - id: keys
        type: morph_key
        repeat: expr
        repeat-expr: num_keys
        doc: |
          The keys in the order of time.
