# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: max_mesh
  title: 3ds Max mesh stream
  file-extension: mesh
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A mesh stream: triangles with unshared corners.


  The size of a matrix (52, 48 or 64 bytes) or point (12 or 16 bytes) is a parameter.
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
      Bytes after the last triangle.
types:
  corner:
    doc: |
      A corner of a triangle with its attributes and influences.
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The position in world space at time 0.
        -quantity: point
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The exporter never sets normals; these bytes are uninitialised memory.
      - id: tex_coord
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The texture coordinates u, v, w.
      - id: material_id
        type: s4
        doc: |
          The id of the face's sub-material.
      - id: num_effective
        type: s4
        doc: |
          The number of influences; can exceed the capacity of four.
      - id: influences
        type: influence
        repeat: expr
        repeat-expr: 4
        doc: |
          The influences. Entries from `num_effective` on are uninitialised memory.
  face:
    doc: |
      A triangle.
    seq:
      - id: corners
        type: corner
        repeat: expr
        repeat-expr: 3
        doc: |
          The corners.
  faces:
    doc: |
      The triangles, with one of two point sizes.
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
          With points of 12 bytes.
      - id: p16
        type: face
        repeat: expr
        repeat-expr: num_faces
        if: 'points == 16'
        doc: |
          With points of 16 bytes.
  influence:
    doc: |
      The influence of a bone on a corner.
    seq:
      - id: bone_index
        type: s4
        doc: |
          The index of the bone; -1 if the exporter did not find it.
        -index-of: bone
        -none: -1
      - id: weight
        type: f4
        doc: |
          The weight, 0 to 1. The weights of a corner need not sum to 1.
