# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: cal3d_material
  title: Cal3D material
  file-extension:
    - crf
    - xrf
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A `.crf` file: a material.


  The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the
  dialect mp1301 has the layout of version 1301. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x52, 0x46, 0x00]
    doc: |
      `CRF` and a NUL.
  - id: version
    type: s4
    doc: |
      The number of the library that wrote it.
  - id: ambient
    type: u1
    repeat: expr
    repeat-expr: 4
    doc: |
      Red, green, blue, alpha; 0 to 255.
  - id: diffuse
    type: u1
    repeat: expr
    repeat-expr: 4
    doc: |
      Red, green, blue, alpha; 0 to 255.
  - id: specular
    type: u1
    repeat: expr
    repeat-expr: 4
    doc: |
      Red, green, blue, alpha; 0 to 255.
  - id: shininess
    type: f4
    doc: |
      Sharpness of the highlight.
  - id: num_maps
    type: s4
    doc: |
      Number of elements of `maps`.
  - id: maps
    type: 'map(version)'
    repeat: expr
    repeat-expr: num_maps
    doc: |
      The textures.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the last texture.
types:
  map:
    doc: |
      A texture.
    params:
      - id: version
        type: s8
    seq:
      - id: len_file
        type: s4
        doc: |
          Length in bytes of `file`.
      - id: file
        size: len_file
        doc: |
          Name of the image file.
        -name-of: texture
      - id: len_kind
        type: s4
        if: '(version >= 911 and version < 1000) or version >= 1300'
        doc: |
          Length in bytes of `kind`.
      - id: kind
        size: len_kind
        if: '(version >= 911 and version < 1000) or version >= 1300'
        doc: |
          What it is for.
