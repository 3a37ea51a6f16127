# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_animation
  title: 3ds Max animation stream
  file-extension: anim
  license: MIT OR Apache-2.0
  endian: le
doc: |
  An animation stream: the matrices of all bones for each frame.


  The size of a matrix or point in bytes is a parameter: 52, 48 or 64; 12 or 16.
params:
  - id: matrices
    type: s8
seq:
  - id: num_frames
    type: s4
    doc: |
      How many frames there are; the last one of the range that was exported is left out.
  - id: matrices_body
    type: 'frames(matrices)'
    doc: |
      For each frame, for each bone of the skeleton: from the bone's space to that of the world.
  - id: rest
    size-eos: true
    doc: |
      A last matrix that is cut.
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
      Matrices by their size.
    params:
      - id: matrices
        type: s8
    seq:
      - id: m52
        type: matrix52
        repeat: eos
        if: 'matrices == 52'
        doc: |
          Of 52 bytes.
      - id: m48
        type: matrix48
        repeat: eos
        if: 'matrices == 48'
        doc: |
          Of 48 bytes.
      - id: m64
        type: matrix64
        repeat: eos
        if: 'matrices == 64'
        doc: |
          Of 64 bytes.
  matrix48:
    doc: |
      A `Matrix3` without its flags.
    seq:
      - id: rows
        type: f4_x3
        repeat: expr
        repeat-expr: 4
        doc: |
          The axes x, y, z and the translation; vectors are rows and stand in front.
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
  matrix64:
    doc: |
      Four rows of four, as in Direct3D.
    seq:
      - id: rows
        type: f4_x4
        repeat: expr
        repeat-expr: 4
        doc: |
          The axes x, y, z and the translation; vectors are rows and stand in front.
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
