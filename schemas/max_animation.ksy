# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_animation
  title: 3ds Max animation stream
  file-extension: anim
  license: MIT OR Apache-2.0
  endian: le
doc: |
  An animation stream: the matrices of all bones for each frame.


  The size of a matrix (52, 48 or 64 bytes) or point (12 or 16 bytes) is a parameter.
params:
  - id: matrices
    type: s8
seq:
  - id: num_frames
    type: s4
    doc: |
      The number of frames. The exporter omits the last frame of the exported range.
  - id: matrices_body
    type: 'frames(matrices)'
    doc: |
      The bone-to-world transform of each bone of the skeleton, frame by frame.
  - id: rest
    size-eos: true
    doc: |
      A truncated last matrix.
types:
  f4_x3:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 3
  f4_x4:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 4
  frames:
    doc: |
      The matrices, in one of three sizes.
    params:
      - id: matrices
        type: s8
    seq:
      - id: m52
        type: matrix52
        repeat: eos
        if: 'matrices == 52'
        doc: |
          Matrices of 52 bytes.
      - id: m48
        type: matrix48
        repeat: eos
        if: 'matrices == 48'
        doc: |
          Matrices of 48 bytes.
      - id: m64
        type: matrix64
        repeat: eos
        if: 'matrices == 64'
        doc: |
          Matrices of 64 bytes.
  matrix48:
    doc: |
      A `Matrix3` without its flags, 48 bytes.
    seq:
      - id: rows
        type: f4_x3
        repeat: expr
        repeat-expr: 4
        doc: |
          The x, y and z axes and the translation, for row vectors.
        -quantity: matrix
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
  matrix64:
    doc: |
      A 4×4 matrix as in Direct3D, 64 bytes.
    seq:
      - id: rows
        type: f4_x4
        repeat: expr
        repeat-expr: 4
        doc: |
          The x, y and z axes and the translation, for row vectors.
        -quantity: matrix
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
