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


  The layout of the default dialect of each version, of four binary dialects. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x4d, 0x46, 0x00]
    doc: |
      `CMF` and a NUL.
  - id: version
    type: s4
    doc: |
      The number of the library that wrote it.
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
      Bytes behind the last submesh.
types:
  blend_vertex:
    doc: |
      Where a vertex is when a morph target is fully taken; in the dialect mp1301 how far it moves there.
    params:
      - id: num_maps
        type: s4
    seq:
      - id: vertex_id
        type: s4
        doc: |
          Index of the vertex.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z; usually of unit length, in mp1301 when the vertex's own is added.
      - id: uvs
        type: f4_x2
        repeat: expr
        repeat-expr: num_maps
        doc: |
          Texture coordinates u, v, for each map.
  counted_morph:
    doc: |
      A morph target that counts its vertices.
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
          Ends the list by being no vertex: at least their number.
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
  influence:
    doc: |
      How much a bone moves a vertex.
    seq:
      - id: bone_id
        type: s4
        doc: |
          Index of the bone.
      - id: weight
        type: f4
        doc: |
          0 to 1; those of a vertex sum up to 1.
  morphs:
    doc: |
      What a submesh can turn into.
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
          Each counts its vertices.
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
      - id: coefficient
        type: f4
        doc: |
          How hard it is.
      - id: rest_length
        type: f4
        doc: |
          Its length at rest, in model units.
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
          Which of the model's materials it wears: the index of a material thread.
      - id: num_vertices
        type: s4
      - id: num_faces
        type: s4
      - id: num_lod_steps
        type: s4
        doc: |
          Vertices that can be taken away one after another, the last first.
      - id: num_springs
        type: s4
      - id: num_maps
        type: s4
        doc: |
          How many texture coordinates each vertex has.
      - id: num_morphs
        type: s4
        if: '(version >= 911 and version < 1000) or version >= 1300'
      - id: vertices
        type: 'vertex(version, num_maps, num_springs > 0)'
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          Positions with all that belongs to them.
      - id: springs
        type: spring
        repeat: expr
        repeat-expr: num_springs
        doc: |
          Springs between vertices, for cloth and hair.
      - id: morphs
        type: 'morphs(version >= 1300, num_morphs, num_maps, num_vertices)'
        if: '(version >= 911 and version < 1000) or version >= 1300'
        doc: |
          What the submesh can turn into.
      - id: faces
        type: face
        repeat: expr
        repeat-expr: num_faces
        doc: |
          The triangles.
  vertex:
    doc: |
      A position with all that belongs to it.
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
        if: 'version >= 911 and version < 1000'
        doc: |
          Red, green, blue; 0 to 1.
      - id: collapse_id
        type: s4
        doc: |
          Index of the vertex it falls onto when detail is taken away; -1 means none.
      - id: face_collapse_count
        type: s4
        doc: |
          How many faces disappear with it.
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
          The bones that move it.
      - id: physical_weight
        type: f4
        if: has_weight
        doc: |
          How freely springs move it; 0 is fast to its bones.
