# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: unigine_mesh
  title: UNIGINE mesh
  file-extension:
    - mesh
    - mesh_skinned
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A UNIGINE mesh. The first four bytes determine the layout.


  Geometry and trees of ms14, ms15 and sk10 are LZ4 blocks, which Kaitai cannot express, or uncompressed if their two
  lengths are equal. An unpacked geometry is as in the other versions, without the counts that
  its surface contains.
seq:
  - id: mesh
    type: 'mesh((magic >> 24) - 0x30 + 10)'
    if: 'magic == 0x3031736d or magic == 0x3131736d or magic == 0x3231736d or magic == 0x3331736d'
    doc: |
      ms10 to ms13.
  - id: mesh14
    type: mesh14
    if: 'magic == 0x3431736d'
    doc: |
      ms14.
  - id: mesh15
    type: mesh15
    if: 'magic == 0x3531736d'
    doc: |
      ms15.
  - id: skinned_mesh
    type: skinned_mesh
    if: 'magic == 0x30316b73'
    doc: |
      sk10.
  - id: raw_mesh
    type: raw_mesh
    if: 'magic == 0x3230726d'
    doc: |
      mr02.
instances:
  magic:
    pos: 0
    type: u4
types:
  animation_name:
    doc: |
      The name of an animation.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name.
        -name: clip
  bone:
    doc: |
      A bone of the skeleton.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name.
        -name: bone
      - id: parent
        type: s2
        doc: |
          Index of the parent; -1 at a root. A parent may follow its child.
        -index-of: bone
        -none: -1
  bounds:
    doc: |
      A bounding box and a bounding sphere.

      An empty box has its minimum at 1e9 and its maximum at -1e9; the radius of the empty sphere is -1.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Minimum x, y, z.
        -quantity: point
        -none: 1000000000
      - id: max
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Maximum x, y, z.
        -quantity: point
        -none: -1000000000
      - id: center
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Centre of the sphere.
        -quantity: point
      - id: radius
        type: f4
        doc: |
          Radius of the sphere.
        -quantity: length
        -none: -1
  cint:
    -leaf: true
    doc: |
      Compact signed integer: bit 7 means that another byte follows, bit 6 of the first byte is the sign,
      the other bits are the magnitude, lowest first.
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ & 0x80 == 0
    instances:
      magnitude:
        value: >-
          (groups[0] & 0x3f)
          + (groups.size > 1 ? (groups[1] & 0x7f) << 6 : 0)
          + (groups.size > 2 ? (groups[2] & 0x7f) << 13 : 0)
          + (groups.size > 3 ? (groups[3] & 0x7f) << 20 : 0)
          + (groups.size > 4 ? (groups[4] & 0x7f) << 27 : 0)
      value:
        value: '(groups[0] & 0x40) != 0 ? -magnitude : magnitude'
  corners:
    doc: |
      Indices of 8, 16 or 32 bits; the length of the list that they select from determines the width.
    params:
      - id: num_targets
        type: s8
    seq:
      - id: num_u8
        type: cint
        if: 'num_targets < 256'
        doc: |
          Number of elements of `u8`.
      - id: u8
        type: u1
        repeat: expr
        repeat-expr: num_u8.value
        if: 'num_targets < 256'
        doc: |
          Fewer than 256 elements.
      - id: num_u16
        type: cint
        if: 'num_targets >= 256 and num_targets < 65536'
        doc: |
          Number of elements of `u16`.
      - id: u16
        type: u2
        repeat: expr
        repeat-expr: num_u16.value
        if: 'num_targets >= 256 and num_targets < 65536'
        doc: |
          Fewer than 65,536 elements.
      - id: num_u32
        type: cint
        if: 'not (num_targets < 256 or num_targets >= 256 and num_targets < 65536)'
        doc: |
          Number of elements of `u32`.
      - id: u32
        type: u4
        repeat: expr
        repeat-expr: num_u32.value
        if: 'not (num_targets < 256 or num_targets >= 256 and num_targets < 65536)'
        doc: |
          More elements. These are plain integers, not compact ones.
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
  geometry:
    doc: |
      Vertices, attributes and indices of a surface.

      A triangle corner has a coordinate index, which selects a vertex, and a triangle index, which selects a tangent, its
      texture coordinates and its colour.
    params:
      - id: version
        type: u1
      - id: num_targets
        type: s8
    seq:
      - id: targets
        type: 'target(version)'
        repeat: expr
        repeat-expr: num_targets
        doc: |
          The morph targets; the first is the base shape.
      - id: num_weights
        type: cint
        doc: |
          Number of elements of `weights`.
      - id: weights
        type: vertex_weights
        repeat: expr
        repeat-expr: num_weights.value
        doc: |
          Influences of each vertex; none if the surface is rigid.
      - id: num_uv0
        type: cint
        doc: |
          Number of elements of `uv0`.
      - id: uv0
        type: f4_x2
        repeat: expr
        repeat-expr: num_uv0.value
        doc: |
          Texture coordinates u, v of each tangent, or none.
      - id: num_uv1
        type: cint
        doc: |
          Number of elements of `uv1`.
      - id: uv1
        type: f4_x2
        repeat: expr
        repeat-expr: num_uv1.value
        doc: |
          A second set of texture coordinates, or none.
      - id: num_colors
        type: cint
        doc: |
          Number of elements of `colors`.
      - id: colors
        type: u1_x4
        repeat: expr
        repeat-expr: num_colors.value
        doc: |
          A colour for each tangent, or none. The channel order is not documented and is assumed to be red, green, blue,
          alpha.
      - id: coordinate_indices
        type: 'corners(num_targets > 0 ? targets[0].num_vertices.value : 0)'
        doc: |
          Indices into the vertices; their number determines the width. Without morph targets the width is assumed to be
          8 bits: no such file is known.
        -index-of: vertex
      - id: triangle_indices
        type: 'corners(num_targets > 0 ? (version == 10 ? targets[0].tangents.num_short.value : targets[0].tangents.num_long.value) : 0)'
        doc: |
          Indices into the tangents; their number determines the width.
        -index-of: tangent
  influence:
    doc: |
      The influence of a bone on a vertex.
    seq:
      - id: bone
        type: s2
        doc: |
          Index of the bone.
        -index-of: bone
      - id: weight
        type: u2
        doc: |
          The weight times 65535.
  key:
    doc: |
      The components of a bone that change in a frame. A missing component keeps its value from the previous frame.

      Positions and scales are `f32` in a mesh. In an animation file they are `u16`, quantised to a box.
    seq:
      - id: flags
        type: key_flags
        doc: |
          The components that are present. In the first frame they equal the mask of the animation.
      - id: position_x
        type: f4
        if: flags.position_x
        doc: |
          Position along x.
        -quantity: length
      - id: position_y
        type: f4
        if: flags.position_y
        doc: |
          Position along y.
        -quantity: length
      - id: position_z
        type: f4
        if: flags.position_z
        doc: |
          Position along z.
        -quantity: length
      - id: rotation
        type: s2
        repeat: expr
        repeat-expr: 4
        if: flags.rotation
        doc: |
          Quaternion x, y, z, w times 32767.
      - id: scale_x
        type: f4
        if: flags.scale_x
        doc: |
          Scale along x.
      - id: scale_y
        type: f4
        if: flags.scale_y
        doc: |
          Scale along y.
      - id: scale_z
        type: f4
        if: flags.scale_z
        doc: |
          Scale along z.
  key_flags:
    doc: |
      The components that a key has. The mask of an animation is the union of the flags of its keys.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      position_x:
        value: '(raw & 0x1) != 0'
        doc: |
          Position along x.
      position_y:
        value: '(raw & 0x2) != 0'
        doc: |
          Position along y.
      position_z:
        value: '(raw & 0x4) != 0'
        doc: |
          Position along z.
      rotation:
        value: '(raw & 0x8) != 0'
        doc: |
          Rotation.
      scale_x:
        value: '(raw & 0x10) != 0'
        doc: |
          Scale along x.
      scale_y:
        value: '(raw & 0x20) != 0'
        doc: |
          Scale along y.
      scale_z:
        value: '(raw & 0x40) != 0'
        doc: |
          Scale along z.
  key_row:
    params:
      - id: num_items
        type: s8
    seq:
      - id: items
        type: key
        repeat: expr
        repeat-expr: num_items
  lightmap:
    doc: |
      Lightmap settings of a surface. Only the documentation of ms15 describes the two bytes.
    seq:
      - id: uv_channel
        type: u1
        doc: |
          Index of the UV set.
      - id: resolution
        type: u1
        doc: |
          Code of the lightmap resolution.
  mesh:
    doc: |
      A mesh of version ms10, ms11, ms12 or ms13.

      ms12 adds the lightmap of a surface, ms13 drops the animations, and ms10 has tangents of 7 bytes; otherwise the
      layouts are the same. No ms12 file with animations is known; they are assumed to be as in ms11.
    params:
      - id: version
        type: u1
    seq:
      - id: id
        size: 4
        terminator: 0
        doc: |
          `ms10` to `ms13`.
      - id: bounds
        type: bounds
        doc: |
          Bounds of all surfaces.
      - id: num_bones
        type: cint
        doc: |
          Number of elements of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones.value
        doc: |
          The skeleton, parents by index.
        -axis: bone
      - id: num_animation_names
        type: cint
        if: 'version < 13'
        doc: |
          Number of elements of `animation_names`.
      - id: animation_names
        type: animation_name
        repeat: expr
        repeat-expr: num_animation_names.value
        if: 'version < 13'
        doc: |
          Names of the animations; absent in ms13.
      - id: num_surfaces
        type: cint
        doc: |
          Number of elements of `surfaces`.
      - id: surfaces
        type: 'surface(version)'
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          The header of each surface.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between headers and data.
      - id: transforms
        type: transform
        repeat: expr
        repeat-expr: bones.size
        doc: |
          Bind pose of each bone.
      - id: animations
        type: mesh_animation
        repeat: expr
        repeat-expr: 'version < 13 ? num_animation_names.value : 0'
        doc: |
          Keys of the animations.
      - id: geometry
        type: 'geometry(version, surfaces[_index].num_targets.value)'
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          Vertices, attributes and indices of each surface.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  mesh14:
    doc: |
      A mesh of version ms14. The geometry and the tree of each surface are packed on their own.
    seq:
      - id: id
        contents: [0x6d, 0x73, 0x31, 0x34]
        doc: |
          `ms14`.
      - id: leaf_triangles
        type: cint
        doc: |
          Maximum number of triangles in a leaf of a tree; 4 in all known files.
      - id: bounds
        type: bounds
        doc: |
          Bounds of all surfaces.
      - id: num_bones
        type: cint
        doc: |
          Number of elements of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones.value
        doc: |
          The skeleton, parents by index; nearly always empty.
        -axis: bone
      - id: num_surfaces
        type: cint
        doc: |
          Number of elements of `surfaces`.
      - id: surfaces
        type: surface14
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          The header of each surface.
      - id: memory
        type: s8
        doc: |
          Estimated memory usage of the mesh, in bytes.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between headers and data.
      - id: transforms
        type: transform
        repeat: expr
        repeat-expr: bones.size
        doc: |
          Bind pose of each bone.
      - id: geometry
        type: packed_geometry
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          Vertices, attributes and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
      - id: trees_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between geometry and trees.
      - id: trees
        type: packed_tree
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          A tree of the triangles of each surface.
      - id: offsets_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between trees and offsets.
      - id: offsets
        type: s8
        repeat: expr
        repeat-expr: surfaces.size
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  mesh15:
    doc: |
      A static mesh of version ms15. The geometry and the tree of each surface are packed on their own.
    seq:
      - id: id
        contents: [0x6d, 0x73, 0x31, 0x35]
        doc: |
          `ms15`.
      - id: leaf_triangles
        type: cint
        doc: |
          Maximum number of triangles in a leaf of a tree; 4 in the only known file.
      - id: bounds
        type: bounds
        doc: |
          Bounds of all surfaces.
      - id: num_surfaces
        type: cint
        doc: |
          Number of elements of `surfaces`.
      - id: surfaces
        type: surface15
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          The header of each surface.
      - id: memory
        type: s8
        doc: |
          Estimated memory usage of the mesh, in bytes.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between the headers and the geometry.
      - id: geometry
        type: packed_geometry15
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          Vertices and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
      - id: trees_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between geometry and trees.
      - id: trees
        type: packed_tree
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          A tree of the triangles of each surface.
      - id: offsets_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between trees and offsets.
      - id: offsets
        type: s8
        repeat: expr
        repeat-expr: surfaces.size
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  mesh_animation:
    doc: |
      An animation inside a mesh: ms10 and ms11.
    seq:
      - id: num_bone_indices
        type: cint
        doc: |
          Number of elements of `bone_indices`.
      - id: bone_indices
        type: s2
        repeat: expr
        repeat-expr: num_bone_indices.value
        doc: |
          Indices of the animated bones.
        -index-of: bone
      - id: mask
        type: key_flags
        doc: |
          Union of the flags of all keys.
      - id: num_frames
        type: cint
        doc: |
          Number of elements of `frames`.
      - id: frames
        type: 'key_row(num_bone_indices.value)'
        repeat: expr
        repeat-expr: num_frames.value
        doc: |
          One key for each frame and bone index: `frames[3][0].rotation`.
  packed_geometry:
    doc: |
      A packed geometry.
    seq:
      - id: len_unpacked
        type: s8
      - id: len_packed
        type: s8
      - id: data
        size: len_packed
        doc: |
          An LZ4 block; uncompressed if the two lengths are equal.
  packed_geometry15:
    doc: |
      A packed geometry.
    seq:
      - id: len_unpacked
        type: s8
      - id: len_packed
        type: s8
      - id: data
        size: len_packed
        doc: |
          An LZ4 block; uncompressed if the two lengths are equal.
  packed_tree:
    doc: |
      A packed tree.
    seq:
      - id: len_unpacked
        type: s8
      - id: len_packed
        type: s8
      - id: data
        size: len_packed
        doc: |
          An LZ4 block; uncompressed if the two lengths are equal.
  raw_mesh:
    doc: |
      A legacy mesh of version mr02: triangles without indices, three vertices each.
    seq:
      - id: id
        contents: [0x6d, 0x72, 0x30, 0x32]
        doc: |
          `mr02`.
      - id: num_surfaces
        type: s4
        doc: |
          Number of elements of `surfaces`.
      - id: surfaces
        type: raw_surface
        repeat: expr
        repeat-expr: num_surfaces
        doc: |
          The surfaces.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  raw_surface:
    doc: |
      A surface of a legacy mesh.
    seq:
      - id: name
        size: 128
        terminator: 0
        doc: |
          The name.
      - id: num_vertices
        type: s4
        doc: |
          Number of elements of `vertices`.
      - id: vertices
        type: raw_vertex
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          The corners of the triangles, three for each.
  raw_vertex:
    doc: |
      A corner of a triangle of a legacy mesh.
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
          The normal, usually of unit length.
      - id: uv
        type: f4
        repeat: expr
        repeat-expr: 2
        doc: |
          Texture coordinates u, v.
  reference:
    doc: |
      Names another file, in two ways.
    seq:
      - id: len_guid
        type: s4
        doc: |
          Length in bytes of `guid`.
      - id: guid
        size: len_guid
        doc: |
          Its GUID, in the engine's notation.
      - id: len_path
        type: s4
        doc: |
          Length in bytes of `path`.
      - id: path
        size: len_path
        doc: |
          Its path in the project.
  skinned_mesh:
    doc: |
      A skinned mesh of version sk10. The geometry of each surface is packed on its own, as in ms14.

      The layout is that of the vendor's description; no file of this version is known.
    seq:
      - id: id
        contents: [0x73, 0x6b, 0x31, 0x30]
        doc: |
          `sk10`.
      - id: leaf_triangles
        type: cint
        doc: |
          Maximum number of triangles in a leaf of a tree, which the engine builds.
      - id: bounds
        type: bounds
        doc: |
          Bounds of all surfaces.
      - id: num_bones
        type: s4
        doc: |
          Number of elements of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones
        doc: |
          The joints, parents by index.
        -axis: bone
      - id: num_binds
        type: s4
        doc: |
          Number of elements of `binds`.
      - id: binds
        type: transform
        repeat: expr
        repeat-expr: num_binds
        doc: |
          Bind pose of each joint.
      - id: num_rests
        type: s4
        doc: |
          Number of elements of `rests`.
      - id: rests
        type: transform
        repeat: expr
        repeat-expr: num_rests
        doc: |
          Pose of each joint without an animation.
      - id: skeleton
        type: reference
        doc: |
          The file of the skeleton.
      - id: num_surfaces
        type: cint
        doc: |
          Number of elements of `surfaces`.
      - id: surfaces
        type: skinned_surface
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          The header of each surface.
      - id: memory
        type: s8
        doc: |
          Estimated memory usage of the mesh, in bytes.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between headers and data.
      - id: geometry
        type: packed_geometry
        repeat: expr
        repeat-expr: num_surfaces.value
        doc: |
          Vertices, attributes and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
      - id: offsets_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between geometry and offsets.
      - id: offsets
        type: s8
        repeat: expr
        repeat-expr: surfaces.size
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  skinned_surface:
    doc: |
      The header of a surface. It has no lightmap settings.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; may be empty.
      - id: num_coordinate_indices
        type: cint
        doc: |
          Number of coordinate indices in its geometry.
      - id: num_triangle_indices
        type: cint
        doc: |
          Number of triangle indices in its geometry.
      - id: bounds
        type: bounds
        doc: |
          Bounds of the surface.
      - id: num_targets
        type: cint
        doc: |
          Number of elements of `targets`.
      - id: targets
        type: target14
        repeat: expr
        repeat-expr: num_targets.value
        doc: |
          The morph targets; the first is the base shape.
  surface:
    doc: |
      The header of a surface.
    params:
      - id: version
        type: u1
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; may be empty.
      - id: lightmap
        type: lightmap
        if: 'version >= 12'
        doc: |
          Lightmap settings; ms12 and later.
      - id: bounds
        type: bounds
        doc: |
          Bounds of the surface.
      - id: num_targets
        type: cint
        doc: |
          Number of elements of `targets`.
      - id: targets
        type: target_name
        repeat: expr
        repeat-expr: num_targets.value
        doc: |
          The morph targets. The first is the base shape; in all known files it is the only one and has no name.
  surface14:
    doc: |
      The header of a surface.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; may be empty.
      - id: lightmap
        type: lightmap
        doc: |
          Lightmap settings of the surface.
      - id: num_coordinate_indices
        type: cint
        doc: |
          Number of coordinate indices in its geometry.
      - id: num_triangle_indices
        type: cint
        doc: |
          Number of triangle indices in its geometry.
      - id: bounds
        type: bounds
        doc: |
          Bounds of the surface.
      - id: num_targets
        type: cint
        doc: |
          Number of elements of `targets`.
      - id: targets
        type: target14
        repeat: expr
        repeat-expr: num_targets.value
        doc: |
          The morph targets; the first is the base shape.
  surface15:
    doc: |
      The header of a surface.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; may be empty.
      - id: lightmap
        type: lightmap
        doc: |
          Lightmap settings of the surface.
      - id: num_coordinate_indices
        type: cint
        doc: |
          Number of coordinate indices in its geometry.
      - id: num_triangle_indices
        type: cint
        doc: |
          Number of triangle indices in its geometry.
      - id: bounds
        type: bounds
        doc: |
          Bounds of the surface.
      - id: num_vertices
        type: cint
        doc: |
          Number of vertices in its geometry.
  tangent:
    doc: |
      A tangent basis as a unit quaternion.
    seq:
      - id: xyzw
        type: s2
        repeat: expr
        repeat-expr: 4
        doc: |
          x, y, z, w times 32767. The sign of w is the handedness of the basis; the engine never lets w become 0.
  tangent10:
    doc: |
      A tangent basis as a quaternion in 7 bytes. See `quaternion` for its meaning.
    seq:
      - id: xyz
        type: s2
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z times 32767.
      - id: w
        type: s1
        doc: |
          The handedness of the basis, 127 or -127, not the sign of w; inferred from the only known file.
  tangents:
    doc: |
      Tangent bases, in the layout of the version.
    params:
      - id: version
        type: u1
    seq:
      - id: num_short
        type: cint
        if: 'version == 10'
        doc: |
          Number of elements of `short`.
      - id: short
        type: tangent10
        repeat: expr
        repeat-expr: num_short.value
        if: 'version == 10'
        doc: |
          7 bytes each: ms10.
      - id: num_long
        type: cint
        if: 'not (version == 10)'
        doc: |
          Number of elements of `long`.
      - id: long
        type: tangent
        repeat: expr
        repeat-expr: num_long.value
        if: 'not (version == 10)'
        doc: |
          8 bytes each: ms11 and later.
  target:
    doc: |
      Vertices and tangents of a morph target.
    params:
      - id: version
        type: u1
    seq:
      - id: num_vertices
        type: cint
        doc: |
          Number of elements of `vertices`.
      - id: vertices
        type: f4_x3
        repeat: expr
        repeat-expr: num_vertices.value
        doc: |
          x, y, z in model units.
        -axis: vertex
        -quantity: point
      - id: tangents
        type: 'tangents(version)'
        doc: |
          Tangent bases.
        -axis: tangent
  target14:
    doc: |
      The header of a morph target.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; empty for the base shape.
      - id: num_vertices
        type: cint
        doc: |
          Number of its vertices.
  target_name:
    doc: |
      The name of a morph target.
    seq:
      - id: len_name
        type: cint
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name.value
        doc: |
          The name; empty for the base shape.
  transform:
    doc: |
      Translation, rotation and scale.
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Quaternion x, y, z, w.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Factors along x, y, z.
  u1_x4:
    seq:
      - id: items
        type: u1
        repeat: expr
        repeat-expr: 4
  vertex_weights:
    doc: |
      The influences of a vertex.
    seq:
      - id: num_influences
        type: u1
        doc: |
          Number of elements of `influences`.
      - id: influences
        type: influence
        repeat: expr
        repeat-expr: num_influences
        doc: |
          At most four in valid files; the weights add up to about 65535.
