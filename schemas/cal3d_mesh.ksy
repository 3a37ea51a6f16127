# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: cal3d_mesh
  title: Cal3D mesh
  file-extension:
    - cmf
    - xmf
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A `.cmf` file: submeshes, one for each material.


  The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the
  dialect mp1301 has the layout of version 1301. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x4d, 0x46, 0x00]
    doc: |
      `CMF` and a NUL.
  - id: version
    type: s4
    doc: |
      Version of the library that wrote it.
  - id: num_submeshes
    type: s4
  - id: submeshes
    type: 'submesh(version)'
    repeat: expr
    repeat-expr: num_submeshes
    doc: |
      The submeshes.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the last submesh.
types:
  blend_vertex:
    doc: |
      Position of a vertex at full weight of a morph target; in the dialects mp1301 and mp1300 an offset.
    params:
      - id: num_maps
        type: s4
    seq:
      - id: vertex_id
        type: s4
        doc: |
          Index of the vertex.
        -index-of: vertex
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
        -quantity: point
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z; usually of unit length, in mp1301 and mp1300 after adding the vertex normal.
      - id: uvs
        type: f4_x2
        repeat: expr
        repeat-expr: num_maps
        doc: |
          Texture coordinates u, v, for each map.
  counted_morph:
    doc: |
      A morph target that starts with the number of its vertices.
    params:
      - id: num_maps
        type: s4
    seq:
      - id: len_name
        type: s4
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name
        doc: |
          The name.
      - id: num_vertices
        type: s4
        doc: |
          Number of elements of `vertices`.
      - id: vertices
        type: 'blend_vertex(num_maps)'
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          The vertices that move.
  ended_morph:
    doc: |
      A morph target that ends with a stop value.
    params:
      - id: num_maps
        type: s4
      - id: num_vertices
        type: s4
    seq:
      - id: len_name
        type: s4
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name
        doc: |
          The name.
      - id: vertices
        type: 'ended_vertices(num_vertices, num_maps)'
        doc: |
          The vertices that move.
      - id: end
        type: s4
        doc: |
          Ends the list: a value that is not a vertex index.
  ended_vertices:
    params:
      - id: num_vertices
        type: s4
      - id: num_maps
        type: s4
    seq:
      - id: items
        type: ended_vertex(num_maps)
        repeat: until
        repeat-until: _.next_id >= num_vertices
        if: first_id < num_vertices
    instances:
      first_id:
        pos: _io.pos
        type: s4
    types:
      ended_vertex:
        params:
          - id: num_maps
            type: s4
        seq:
          - id: vertex
            type: blend_vertex(num_maps)
        instances:
          next_id:
            pos: _io.pos
            type: s4
  f4_x2:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 2
  face:
    doc: |
      A triangle.
    seq:
      - id: vertex_ids
        type: s4
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices of the vertices.
        -index-of: vertex
  influence:
    doc: |
      The influence of a bone on a vertex.
    seq:
      - id: bone_id
        type: s4
        doc: |
          Index of the bone.
        -index-of: bone
      - id: weight
        type: f4
        doc: |
          0 to 1; the weights of a vertex add up to 1.
  morphs:
    doc: |
      The layouts of morph targets.
    params:
      - id: counts
        type: bool
      - id: num_morphs
        type: s8
      - id: num_maps
        type: s4
      - id: num_vertices
        type: s4
    seq:
      - id: counted
        type: 'counted_morph(num_maps)'
        repeat: expr
        repeat-expr: num_morphs
        if: counts
        doc: |
          Each starts with the number of its vertices.
      - id: ended
        type: 'ended_morph(num_maps, num_vertices)'
        repeat: expr
        repeat-expr: num_morphs
        if: not counts
        doc: |
          Each ends with a stop value.
  spring:
    doc: |
      A spring between two vertices.
    seq:
      - id: vertex_ids
        type: s4
        repeat: expr
        repeat-expr: 2
        doc: |
          Indices of the vertices.
        -index-of: vertex
      - id: coefficient
        type: f4
        doc: |
          Spring stiffness.
      - id: rest_length
        type: f4
        doc: |
          Rest length, in model units.
        -quantity: length
  submesh:
    doc: |
      Triangles that share a material.
    params:
      - id: version
        type: s8
    seq:
      - id: material_id
        type: s4
        doc: |
          Index of the material thread, which selects one of the model's materials.
        -index-of: material
      - id: num_vertices
        type: s4
      - id: num_faces
        type: s4
      - id: num_lod_steps
        type: s4
        doc: |
          Number of vertices that the level of detail can remove, starting with the last.
      - id: num_springs
        type: s4
      - id: num_maps
        type: s4
        doc: |
          Number of texture coordinates of each vertex.
      - id: num_morphs
        type: s4
        if: '(version >= 911 and version < 1000) or version >= 1300'
      - id: vertices
        type: 'vertex(version, num_maps, num_springs > 0)'
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          The vertices.
        -axis: vertex
      - id: springs
        type: spring
        repeat: expr
        repeat-expr: num_springs
        doc: |
          Springs between vertices, for cloth and hair.
      - id: morphs
        type: 'morphs(version >= 1301, num_morphs, num_maps, num_vertices)'
        if: '(version >= 911 and version < 1000) or version >= 1300'
        doc: |
          Morph targets of the submesh.
      - id: faces
        type: face
        repeat: expr
        repeat-expr: num_faces
        doc: |
          The triangles.
  vertex:
    doc: |
      A vertex.
    params:
      - id: version
        type: s8
      - id: num_maps
        type: s4
      - id: has_weight
        type: bool
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
        -quantity: point
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z; usually of unit length.
      - id: color
        type: f4
        repeat: expr
        repeat-expr: 3
        if: '(version >= 911 and version < 1000) or version == 1300'
        doc: |
          Red, green, blue; 0 to 1.
      - id: collapse_id
        type: s4
        doc: |
          Index of the vertex it collapses onto when detail is reduced; -1 means none.
        -index-of: vertex
        -none: -1
      - id: face_collapse_count
        type: s4
        doc: |
          Number of faces that the collapse removes.
      - id: uvs
        type: f4_x2
        repeat: expr
        repeat-expr: num_maps
        doc: |
          Texture coordinates u, v, for each map.
      - id: num_influences
        type: s4
        doc: |
          Number of elements of `influences`.
      - id: influences
        type: influence
        repeat: expr
        repeat-expr: num_influences
        doc: |
          The influences of bones.
      - id: physical_weight
        type: f4
        if: has_weight
        doc: |
          How freely springs move it; 0 means that only bones do.
