# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_skeleton
  title: 3ds Max skeleton stream
  file-extension: skel
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A skeleton stream: bones until the end of the file.


  The size of a matrix or point in bytes is a parameter: 52, 48 or 64; 12 or 16.
params:
  - id: matrices
    type: s8
seq:
  - id: bones
    type: 'bones(matrices)'
    doc: |
      The bones, parents before their children; animations and meshes name them by their index here.
  - id: rest
    size-eos: true
    doc: |
      A last bone that is cut.
types:
  bone:
    doc: |
      A bone and its bind pose.
    seq:
      - id: matrix
        type: matrix52
        doc: |
          From the bone's space to that of the world, at time 0.
      - id: name
        size: 32
        terminator: 0
        doc: |
          The name, in the code page of the machine; 32 bytes of it have no NUL behind them.
      - id: parent_name
        size: 32
        terminator: 0
        doc: |
          Name of the parent, empty at a root. What stands behind its NUL is memory of the program that wrote the file.
  bones:
    doc: |
      Bones by the size of their matrix.
    params:
      - id: matrices
        type: s8
    seq:
      - id: m52
        type: bone
        repeat: eos
        if: 'matrices == 52'
        doc: |
          Matrices of 52 bytes.
      - id: m48
        type: bone
        repeat: eos
        if: 'matrices == 48'
        doc: |
          Matrices of 48 bytes.
      - id: m64
        type: bone
        repeat: eos
        if: 'matrices == 64'
        doc: |
          Matrices of 64 bytes.
  f4_x3:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 3
  matrix52:
    doc: |
      A `Matrix3` of 3ds Max: the most literal reading of the text.
    seq:
      - id: rows
        type: f4_x3
        repeat: expr
        repeat-expr: 4
        doc: |
          The axes x, y, z and the translation; vectors are rows and stand in front.
      - id: flags
        type: matrix_flags
        doc: |
          What is known of it.
  matrix_flags:
    doc: |
      Which parts of a matrix are those of the identity, as 3ds Max knows.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      position_identity:
        value: '(raw & 0x1) != 0'
        doc: |
          It does not move.
      rotation_identity:
        value: '(raw & 0x2) != 0'
        doc: |
          It does not rotate.
      scale_identity:
        value: '(raw & 0x4) != 0'
        doc: |
          It does not scale.
