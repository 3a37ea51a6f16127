# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_skeleton
  title: 3ds Max skeleton stream
  file-extension: skel
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A skeleton stream: bones up to the end of the file.


  The size of a matrix (52, 48 or 64 bytes) or point (12 or 16 bytes) is a parameter.
params:
  - id: matrices
    type: s8
seq:
  - id: bones
    type: 'bones(matrices)'
    doc: |
      The bones, parents before children. Animations and meshes refer to them by index.
    -axis: bone
  - id: rest
    size-eos: true
    doc: |
      A truncated last bone.
types:
  bone:
    doc: |
      A bone and its bind pose.
    seq:
      - id: matrix
        type: matrix52
        doc: |
          The bone-to-world transform at time 0.
      - id: name
        size: 32
        terminator: 0
        doc: |
          The name, in the code page of the exporting machine. A name of 32 bytes has no terminating NUL.
        -name: bone
      - id: parent_name
        size: 32
        terminator: 0
        doc: |
          The name of the parent; empty for a root. Bytes after the NUL are uninitialised memory of the exporter.
        -name-of: bone
  bones:
    doc: |
      The bones, with one of three matrix sizes.
    params:
      - id: matrices
        type: s8
    seq:
      - id: m52
        type: bone
        repeat: eos
        if: 'matrices == 52'
        doc: |
          With matrices of 52 bytes.
      - id: m48
        type: bone
        repeat: eos
        if: 'matrices == 48'
        doc: |
          With matrices of 48 bytes.
      - id: m64
        type: bone
        repeat: eos
        if: 'matrices == 64'
        doc: |
          With matrices of 64 bytes.
  f4_x3:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 3
  matrix52:
    doc: |
      A `Matrix3` of 3ds Max with its flags, 52 bytes.
    seq:
      - id: rows
        type: f4_x3
        repeat: expr
        repeat-expr: 4
        doc: |
          The x, y and z axes and the translation, for row vectors.
        -quantity: matrix
      - id: flags
        type: matrix_flags
        doc: |
          The parts that equal the identity.
  matrix_flags:
    doc: |
      Marks the parts of a matrix that equal the identity, as cached by 3ds Max.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      position_identity:
        value: '(raw & 0x1) != 0'
        doc: |
          The translation is zero.
      rotation_identity:
        value: '(raw & 0x2) != 0'
        doc: |
          The rotation is the identity.
      scale_identity:
        value: '(raw & 0x4) != 0'
        doc: |
          The scale is 1.
