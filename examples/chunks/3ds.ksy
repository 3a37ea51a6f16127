# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: autodesk_3ds
  title: 3D Studio file
  file-extension: 3ds
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A 3D Studio file: the main chunk.

  Bytes after the known contents of a chunk are not in this schema.
seq:
  - id: id
    contents: [0x4d, 0x4d]
    doc: |
      The id of the main chunk, 0x4D4D.
  - id: size
    type: u4
  - id: chunks
    size: 'size - 6'
    type: chunks_item
    doc: |
      The chunks of the file.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the main chunk.
types:
  body:
    doc: |
      The contents of a chunk.
    params:
      - id: id
        type: u2
    seq:
      - id: color_floats
        type: f4
        repeat: expr
        repeat-expr: 3
        if: 'id == 0x10'
        doc: |
          A colour as floats from 0 to 1.
      - id: color_bytes
        type: u1
        repeat: expr
        repeat-expr: 3
        if: 'id == 0x11'
        doc: |
          A colour as bytes.
      - id: version
        type: u4
        if: 'id == 0x2'
        doc: |
          The version of the file.
      - id: editor
        type: chunks
        if: 'id == 0x3d3d'
        doc: |
          Objects and materials.
      - id: object
        type: named
        if: 'id == 0x4000'
        doc: |
          A named object.
      - id: mesh
        type: chunks
        if: 'id == 0x4100'
        doc: |
          A mesh of triangles.
      - id: num_vertices
        type: u2
        if: 'id == 0x4110'
        doc: |
          Number of elements of `vertices`.
      - id: vertices
        type: f4_x3
        repeat: expr
        repeat-expr: num_vertices
        if: 'id == 0x4110'
        doc: |
          The positions of the vertices.
      - id: faces
        type: faces
        if: 'id == 0x4120'
        doc: |
          The triangles.
      - id: face_material
        type: face_material
        if: 'id == 0x4130'
        doc: |
          The triangles of a material.
      - id: num_tex_coords
        type: u2
        if: 'id == 0x4140'
        doc: |
          Number of elements of `tex_coords`.
      - id: tex_coords
        type: f4_x2
        repeat: expr
        repeat-expr: num_tex_coords
        if: 'id == 0x4140'
        doc: |
          Texture coordinates, one for each vertex.
      - id: axes
        type: f4_x3
        repeat: expr
        repeat-expr: 4
        if: 'id == 0x4160'
        doc: |
          The axes of the mesh and its origin.
      - id: material
        type: chunks
        if: 'id == 0xafff'
        doc: |
          A material.
      - id: material_name
        terminator: 0
        if: 'id == 0xa000'
        doc: |
          The name of a material.
      - id: color
        type: chunks
        if: 'id == 0xa010 or id == 0xa020 or id == 0xa030'
        doc: |
          The ambient, diffuse or specular colour of a material.
      - id: map
        type: chunks
        if: 'id == 0xa200'
        doc: |
          An image of a material.
      - id: map_name
        terminator: 0
        if: 'id == 0xa300'
        doc: |
          The name of an image.
  chunk:
    doc: |
      A chunk.
    seq:
      - id: id
        type: u2
        doc: |
          What it contains.
      - id: size
        type: u4
      - id: body
        size: 'size - 6'
        type: 'body(id)'
        doc: |
          The contents.
  chunks:
    doc: |
      Chunks up to the end of the one around them.
    seq:
      - id: chunks
        type: chunk
        repeat: eos
        doc: |
          The chunks.
  chunks_item:
    seq:
      - id: items
        type: chunk
        repeat: eos
  f4_x2:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 2
  f4_x3:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 3
  face:
    doc: |
      A triangle.
    seq:
      - id: vertices
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices of vertices, anticlockwise seen from the front.
      - id: flags
        type: u2
        doc: |
          The visible edges and the wrapping of the texture.
  face_material:
    doc: |
      The triangles of a material.
    seq:
      - id: name
        terminator: 0
        doc: |
          The name of the material.
        -name-of: material
      - id: num_faces
        type: u2
        doc: |
          Number of elements of `faces`.
      - id: faces
        type: u2
        repeat: expr
        repeat-expr: num_faces
        doc: |
          Indices of triangles.
  faces:
    doc: |
      Triangles, followed by what they have.
    seq:
      - id: num_faces
        type: u2
        doc: |
          Number of elements of `faces`.
      - id: faces
        type: face
        repeat: expr
        repeat-expr: num_faces
        doc: |
          The triangles.
      - id: chunks
        type: chunk
        repeat: eos
        doc: |
          Their materials and smoothing groups.
  named:
    doc: |
      Chunks of an object.
    seq:
      - id: name
        terminator: 0
        doc: |
          The name of the object.
        -name: object
      - id: chunks
        type: chunk
        repeat: eos
        doc: |
          The chunks.
