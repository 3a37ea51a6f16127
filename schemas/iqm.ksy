# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: iqm
  title: Inter-Quake Model
  file-extension: iqm
  license: MIT OR Apache-2.0
  endian: le
doc: |
  An Inter-Quake Model: meshes over shared vertices, a skeleton, and animations of it.


  Bytes that no offset leads to are not in this schema.
seq:
  - id: id
    contents: [0x49, 0x4e, 0x54, 0x45, 0x52, 0x51, 0x55, 0x41, 0x4b, 0x45, 0x4d, 0x4f, 0x44, 0x45, 0x4c, 0x00]
    doc: |
      The text `INTERQUAKEMODEL` with a NUL.
  - id: version
    contents: [0x02, 0x00, 0x00, 0x00]
    doc: |
      2. Files of version 1 have joints and poses of other sizes.
  - id: filesize
    type: u4
  - id: flags
    type: u4
    doc: |
      Unused; 0.
  - id: num_text
    type: u4
  - id: ofs_text
    type: u4
  - id: num_meshes
    type: u4
  - id: ofs_meshes
    type: u4
  - id: num_vertexarrays
    type: u4
  - id: num_vertexes
    type: u4
    doc: |
      The number of vertices of all meshes.
  - id: ofs_vertexarrays
    type: u4
  - id: num_triangles
    type: u4
  - id: ofs_triangles
    type: u4
  - id: ofs_adjacency
    type: u4
  - id: num_joints
    type: u4
  - id: ofs_joints
    type: u4
  - id: num_poses
    type: u4
  - id: ofs_poses
    type: u4
  - id: num_anims
    type: u4
  - id: ofs_anims
    type: u4
  - id: num_frames
    type: u4
    doc: |
      The number of frames of all animations.
  - id: num_framechannels
    type: u4
    doc: |
      The number of values of a frame: the channels of all poses that change.
  - id: ofs_frames
    type: u4
  - id: ofs_bounds
    type: u4
  - id: num_comment
    type: u4
  - id: ofs_comment
    type: u4
  - id: num_extensions
    type: u4
    doc: |
      The number of extensions.
  - id: ofs_extensions
    type: u4
  - id: sections
    type: 'sections(filesize, num_text, ofs_text, num_meshes, ofs_meshes, num_vertexarrays, ofs_vertexarrays, num_triangles, ofs_triangles, ofs_adjacency, num_joints, ofs_joints, num_poses, ofs_poses, num_anims, ofs_anims, ofs_frames, ofs_bounds, num_comment, ofs_comment, ofs_extensions, num_vertexes, num_frames, num_framechannels)'
    doc: |
      The parts that the header places.
types:
  anim:
    doc: |
      A range of frames.
    seq:
      - id: name
        type: u4
        doc: |
          The name, as an offset in the text.
      - id: first_frame
        type: u4
        doc: |
          The first of its frames.
      - id: num_frames
        type: u4
        doc: |
          The number of its frames.
      - id: framerate
        type: f4
        doc: |
          Frames per second.
      - id: flags
        type: anim_flags
        doc: |
          How it is played.
  anim_flags:
    doc: |
      How an animation is played.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      is_loop:
        value: '(raw & 0x1) != 0'
        doc: |
          It is repeated.
  blend_indexes:
    doc: |
      The bones of a vertex.
    seq:
      - id: joints
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: |
          Indices of joints. Those with a weight of 0 have no effect.
        -index-of: bone
  bounds:
    doc: |
      The bounds of the deformed vertices in a frame.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The least corner of the box.
        -quantity: point
      - id: max
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The greatest corner of the box.
        -quantity: point
      - id: xy_radius
        type: f4
        doc: |
          The greatest distance from the Z axis.
        -quantity: length
      - id: radius
        type: f4
        doc: |
          The greatest distance from the origin.
        -quantity: length
  extension:
    doc: |
      Data of an engine.
    seq:
      - id: name
        type: u4
        doc: |
          The name, as an offset in the text.
      - id: num_data
        type: u4
        doc: |
          The size of the data in bytes.
      - id: ofs_data
        type: u4
        doc: |
          The offset of the data.
      - id: ofs_extensions
        type: u4
        doc: |
          The offset of the next extension; 0 in the last.
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
  f4_x4:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 4
  joint:
    doc: |
      A bone in the bind pose. A point is first scaled, then rotated, then translated.
    seq:
      - id: name
        type: u4
        doc: |
          The name, as an offset in the text.
      - id: parent
        type: s4
        doc: |
          The index of the parent; negative for a root.
        -index-of: bone
        -none: -1
      - id: translate
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The translation relative to the parent.
        -quantity: point
      - id: rotate
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          The rotation relative to the parent: a unit quaternion x, y, z, w.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The scale along the axes of the bone.
  mesh:
    doc: |
      A range of triangles with a material.
    seq:
      - id: name
        type: u4
        doc: |
          The name, as an offset in the text.
      - id: material
        type: u4
        doc: |
          The name of the material or image, as an offset in the text.
      - id: first_vertex
        type: u4
        doc: |
          The first of its vertices.
        -index-of: vertex
      - id: num_vertexes
        type: u4
        doc: |
          The number of its vertices.
      - id: first_triangle
        type: u4
        doc: |
          The first of its triangles.
        -index-of: triangle
      - id: num_triangles
        type: u4
        doc: |
          The number of its triangles.
  pose:
    doc: |
      How the values of frames become the pose of a bone. The channels are translation x, y, z, rotation x, y, z, w and scale x, y, z.
    seq:
      - id: parent
        type: s4
        doc: |
          The index of the parent; negative for a root.
        -index-of: pose
        -none: -1
      - id: mask
        type: u4
        doc: |
          The channels that frames have values of, the first in the lowest bit.
      - id: channel_offset
        type: f4
        repeat: expr
        repeat-expr: 10
        doc: |
          The value of each channel where it does not change, and its least otherwise.
        -quantity: point
      - id: channel_scale
        type: f4
        repeat: expr
        repeat-expr: 10
        doc: |
          What a value in a frame is multiplied by.
        -quantity: point
  sections:
    doc: |
      The parts of a file. One that a file does not have is absent: its offset is 0.
    params:
      - id: ofs_end
        type: s8
      - id: num_text
        type: s8
      - id: ofs_text
        type: s8
      - id: num_meshes
        type: s8
      - id: ofs_meshes
        type: s8
      - id: num_vertexarrays
        type: s8
      - id: ofs_vertexarrays
        type: s8
      - id: num_triangles
        type: s8
      - id: ofs_triangles
        type: s8
      - id: ofs_adjacency
        type: s8
      - id: num_joints
        type: s8
      - id: ofs_joints
        type: s8
      - id: num_poses
        type: s8
      - id: ofs_poses
        type: s8
      - id: num_anims
        type: s8
      - id: ofs_anims
        type: s8
      - id: ofs_frames
        type: s8
      - id: ofs_bounds
        type: s8
      - id: num_comment
        type: s8
      - id: ofs_comment
        type: s8
      - id: ofs_extension_0
        type: s8
      - id: num_vertexes
        type: s8
      - id: num_frames
        type: s8
      - id: num_framechannels
        type: s8
    instances:
      text:
        pos: ofs_text
        if: 'ofs_text != 0'
        size: num_text
        doc: |
          Names, each up to a NUL. The first is empty.
      meshes:
        pos: ofs_meshes
        if: 'ofs_meshes != 0'
        type: mesh
        repeat: expr
        repeat-expr: num_meshes
        doc: |
          Ranges of triangles with a material.
        -axis: mesh
      vertex_arrays:
        pos: ofs_vertexarrays
        if: 'ofs_vertexarrays != 0'
        type: vertex_array
        repeat: expr
        repeat-expr: num_vertexarrays
        doc: |
          What the vertices have: each array has a value for each vertex.
      vertex_data_0:
        pos: 'vertex_arrays[0].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 0 and vertex_arrays[0].offset != 0'
        type: 'vertex_data(vertex_arrays[0].kind, vertex_arrays[0].format, vertex_arrays[0].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_1:
        pos: 'vertex_arrays[1].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 1 and vertex_arrays[1].offset != 0'
        type: 'vertex_data(vertex_arrays[1].kind, vertex_arrays[1].format, vertex_arrays[1].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_2:
        pos: 'vertex_arrays[2].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 2 and vertex_arrays[2].offset != 0'
        type: 'vertex_data(vertex_arrays[2].kind, vertex_arrays[2].format, vertex_arrays[2].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_3:
        pos: 'vertex_arrays[3].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 3 and vertex_arrays[3].offset != 0'
        type: 'vertex_data(vertex_arrays[3].kind, vertex_arrays[3].format, vertex_arrays[3].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_4:
        pos: 'vertex_arrays[4].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 4 and vertex_arrays[4].offset != 0'
        type: 'vertex_data(vertex_arrays[4].kind, vertex_arrays[4].format, vertex_arrays[4].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_5:
        pos: 'vertex_arrays[5].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 5 and vertex_arrays[5].offset != 0'
        type: 'vertex_data(vertex_arrays[5].kind, vertex_arrays[5].format, vertex_arrays[5].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_6:
        pos: 'vertex_arrays[6].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 6 and vertex_arrays[6].offset != 0'
        type: 'vertex_data(vertex_arrays[6].kind, vertex_arrays[6].format, vertex_arrays[6].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_7:
        pos: 'vertex_arrays[7].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 7 and vertex_arrays[7].offset != 0'
        type: 'vertex_data(vertex_arrays[7].kind, vertex_arrays[7].format, vertex_arrays[7].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_8:
        pos: 'vertex_arrays[8].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 8 and vertex_arrays[8].offset != 0'
        type: 'vertex_data(vertex_arrays[8].kind, vertex_arrays[8].format, vertex_arrays[8].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_9:
        pos: 'vertex_arrays[9].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 9 and vertex_arrays[9].offset != 0'
        type: 'vertex_data(vertex_arrays[9].kind, vertex_arrays[9].format, vertex_arrays[9].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_10:
        pos: 'vertex_arrays[10].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 10 and vertex_arrays[10].offset != 0'
        type: 'vertex_data(vertex_arrays[10].kind, vertex_arrays[10].format, vertex_arrays[10].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      vertex_data_11:
        pos: 'vertex_arrays[11].offset'
        if: 'ofs_vertexarrays != 0 and vertex_arrays.size > 11 and vertex_arrays[11].offset != 0'
        type: 'vertex_data(vertex_arrays[11].kind, vertex_arrays[11].format, vertex_arrays[11].size, num_vertexes)'
        doc: |
          The data of the vertex array with this index.
      triangles:
        pos: ofs_triangles
        if: 'ofs_triangles != 0'
        type: u4_x3
        repeat: expr
        repeat-expr: num_triangles
        doc: |
          The vertices of each triangle, clockwise seen from the front.
        -axis: triangle
        -index-of: vertex
      adjacency:
        pos: ofs_adjacency
        if: 'ofs_adjacency != 0'
        type: u4_x3
        repeat: expr
        repeat-expr: num_triangles
        doc: |
          The triangles at the edges of each triangle.
        -index-of: triangle
        -none: 4294967295
      joints:
        pos: ofs_joints
        if: 'ofs_joints != 0'
        type: joint
        repeat: expr
        repeat-expr: num_joints
        doc: |
          The bones in the bind pose.
        -axis: bone
      poses:
        pos: ofs_poses
        if: 'ofs_poses != 0'
        type: pose
        repeat: expr
        repeat-expr: num_poses
        doc: |
          How the values of frames are read, for each bone.
        -axis: pose
      anims:
        pos: ofs_anims
        if: 'ofs_anims != 0'
        type: anim
        repeat: expr
        repeat-expr: num_anims
        doc: |
          The animations.
        -axis: animation
      frames:
        pos: ofs_frames
        if: 'ofs_frames != 0'
        type: u2
        repeat: expr
        repeat-expr: 'num_frames * num_framechannels'
        doc: |
          The changing channels of all poses, frame by frame.
      bounds:
        pos: ofs_bounds
        if: 'ofs_bounds != 0'
        type: bounds
        repeat: expr
        repeat-expr: num_frames
        doc: |
          The bounds of each frame.
      comment:
        pos: ofs_comment
        if: 'ofs_comment != 0'
        size: num_comment
        doc: |
          Texts without a meaning for games, each up to a NUL.
      extension_0:
        pos: ofs_extension_0
        if: 'ofs_extension_0 != 0'
        type: extension
        doc: |
          The extension with this index.
      extension_data_0:
        pos: extension_0.ofs_data
        if: 'ofs_extension_0 != 0 and extension_0.ofs_data != 0'
        size: extension_0.num_data
        doc: |
          The data of this extension.
      extension_1:
        pos: extension_0.ofs_extensions
        if: 'ofs_extension_0 != 0 and extension_0.ofs_extensions != 0'
        type: extension
        doc: |
          The extension with this index.
      extension_data_1:
        pos: extension_1.ofs_data
        if: 'ofs_extension_0 != 0 and extension_0.ofs_extensions != 0 and extension_1.ofs_data != 0'
        size: extension_1.num_data
        doc: |
          The data of this extension.
      extension_2:
        pos: extension_1.ofs_extensions
        if: 'ofs_extension_0 != 0 and extension_0.ofs_extensions != 0 and extension_1.ofs_extensions != 0'
        type: extension
        doc: |
          The extension with this index.
      extension_data_2:
        pos: extension_2.ofs_data
        if: 'ofs_extension_0 != 0 and extension_0.ofs_extensions != 0 and extension_1.ofs_extensions != 0 and extension_2.ofs_data != 0'
        size: extension_2.num_data
        doc: |
          The data of this extension.
      end:
        pos: ofs_end
        if: 'ofs_end != 0'
        size: 0
        doc: |
          Where the file ends.
  u1_x4:
    seq:
      - id: items
        type: u1
        repeat: expr
        repeat-expr: 4
  u4_x3:
    seq:
      - id: items
        type: u4
        repeat: expr
        repeat-expr: 3
  vertex_array:
    doc: |
      What the vertices have, and where its data is.
    seq:
      - id: kind
        type: u4
        doc: |
          The type; one of 16 or more is an offset in the text, of the name of a custom type, plus 16.
      - id: flags
        type: u4
        doc: |
          Unused; 0.
      - id: format
        type: u4
        doc: |
          The type of a component.
      - id: size
        type: u4
        doc: |
          The number of components of a vertex.
      - id: offset
        type: u4
        doc: |
          The offset of the data.
  vertex_data:
    doc: |
      The values of the vertices: in the formats that all readers know by vertex, and otherwise by component.
    params:
      - id: kind
        type: u4
      - id: format
        type: u4
      - id: size
        type: u4
      - id: num_vertexes
        type: s8
    seq:
      - id: positions
        type: f4_x3
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 0 and format == 7 and size == 3'
        doc: |
          Positions in model space.
        -axis: vertex
        -quantity: point
      - id: texcoords
        type: f4_x2
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 1 and format == 7 and size == 2'
        doc: |
          Texture coordinates from the upper left corner of the image.
      - id: normals
        type: f4_x3
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 2 and format == 7 and size == 3'
        doc: |
          Normals of unit length.
      - id: tangents
        type: f4_x4
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 3 and format == 7 and size == 4'
        doc: |
          Tangents of unit length, and the sign of the bitangent.
      - id: blend_indexes
        type: blend_indexes
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 4 and format == 1 and size == 4'
        doc: |
          The bones of each vertex.
      - id: blend_weights
        type: u1_x4
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 5 and format == 1 and size == 4'
        doc: |
          The weights of the bones; 255 means 1.
      - id: colors
        type: u1_x4
        repeat: expr
        repeat-expr: num_vertexes
        if: 'kind == 6 and format == 1 and size == 4'
        doc: |
          Red, green, blue and alpha.
      - id: byte
        type: s1
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 0'
        doc: |
          Components of 8 bits with a sign.
      - id: ubyte
        type: u1
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 1 and not (kind == 4 and format == 1 and size == 4) and not (kind == 5 and format == 1 and size == 4) and not (kind == 6 and format == 1 and size == 4)'
        doc: |
          Components of 8 bits.
      - id: short
        type: s2
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 2'
        doc: |
          Components of 16 bits with a sign.
      - id: ushort
        type: u2
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 3'
        doc: |
          Components of 16 bits.
      - id: int
        type: s4
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 4'
        doc: |
          Components of 32 bits with a sign.
      - id: uint
        type: u4
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 5'
        doc: |
          Components of 32 bits.
      - id: half
        type: u2
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 6'
        doc: |
          Floats of 16 bits.
      - id: float
        type: f4
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 7 and not (kind == 0 and format == 7 and size == 3) and not (kind == 1 and format == 7 and size == 2) and not (kind == 2 and format == 7 and size == 3) and not (kind == 3 and format == 7 and size == 4)'
        doc: |
          Floats of 32 bits.
      - id: double
        type: f8
        repeat: expr
        repeat-expr: 'num_vertexes * size'
        if: 'format == 8'
        doc: |
          Floats of 64 bits.
