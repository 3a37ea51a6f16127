# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_mesh
  title: 3ds Max mesh stream
  file-extension: mesh
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A mesh stream: triangles with three corners of their own.


  The size of a matrix or point in bytes is a parameter: 52, 48 or 64; 12 or 16.
params:
  - id: points
    type: s8
seq:
  - id: num_faces
    type: s4
  - id: faces
    type: 'faces(points, num_faces)'
    doc: |
      The triangles.
  - id: rest
    size-eos: true
    doc: |
      Bytes behind the last triangle.
types:
  corner:
    doc: |
      A corner with all that belongs to it.
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          In the space of the world, at time 0.
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Never set by the text's code: what was in memory.
      - id: tex_coord
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          u, v, w.
      - id: material_id
        type: s4
        doc: |
          Number of the face's sub-material.
      - id: num_effective
        type: s4
        doc: |
          How many bones move it; may be more than there is room for.
      - id: influences
        type: influence
        repeat: expr
        repeat-expr: 4
        doc: |
          The bones that move it, as many as are effective; the others are what was in memory.
  face:
    doc: |
      Three corners.
    seq:
      - id: corners
        type: corner
        repeat: expr
        repeat-expr: 3
        doc: |
          The corners.
  faces:
    doc: |
      Triangles by the size of their points.
    params:
      - id: points
        type: s8
      - id: num_faces
        type: s4
    seq:
      - id: p12
        type: face
        repeat: expr
        repeat-expr: num_faces
        if: 'points == 12'
        doc: |
          Points of 12 bytes.
      - id: p16
        type: face
        repeat: expr
        repeat-expr: num_faces
        if: 'points == 16'
        doc: |
          Points of 16 bytes.
  influence:
    doc: |
      How much a bone moves a corner.
    seq:
      - id: bone_index
        type: s4
        doc: |
          Index of the bone; -1 if it was not found.
      - id: weight
        type: f4
        doc: |
          0 to 1; those of a corner may sum up to anything.
