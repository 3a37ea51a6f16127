# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: ms3d
  title: MilkShape 3D
  file-extension: ms3d
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A MilkShape 3D file, version 3 or 4.

  The parts after the joints are optional and present while bytes remain, whatever the version.
seq:
  - id: id
    contents: [0x4d, 0x53, 0x33, 0x44, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30]
    doc: |
      Ten bytes, `MS3D000000`.
  - id: version
    type: s4
    doc: |
      3 or 4; the layout is the same.
  - id: num_vertices
    type: u2
    doc: |
      Number of elements of `vertices`.
  - id: vertices
    type: vertex
    repeat: expr
    repeat-expr: num_vertices
    doc: |
      Positions with their joint.
    -axis: vertex
  - id: num_triangles
    type: u2
    doc: |
      Number of elements of `triangles`.
  - id: triangles
    type: triangle
    repeat: expr
    repeat-expr: num_triangles
    doc: |
      Corners with normals and texture coordinates.
    -axis: triangle
  - id: num_groups
    type: u2
    doc: |
      Number of elements of `groups`.
  - id: groups
    type: group
    repeat: expr
    repeat-expr: num_groups
    doc: |
      Triangles that share a material.
    -axis: group
  - id: num_materials
    type: u2
    doc: |
      Number of elements of `materials`.
  - id: materials
    type: material
    repeat: expr
    repeat-expr: num_materials
    doc: |
      Colours and textures.
    -axis: material
  - id: animation
    type: animation
    doc: |
      Frame rate and length of the animation.
  - id: num_joints
    type: u2
    doc: |
      Number of elements of `joints`.
  - id: joints
    type: joint
    repeat: expr
    repeat-expr: num_joints
    doc: |
      The skeleton, parents by name.
    -axis: bone
  - id: comments
    type: comments
    if: not _io.eof
    doc: |
      Texts attached to groups, materials, joints and the model.
  - id: vertex_extra
    type: 'vertex_extra(vertices.size)'
    if: not _io.eof
    doc: |
      Additional influences of each vertex.
  - id: joint_extra
    type: 'joint_extra(joints.size)'
    if: not _io.eof
    doc: |
      A colour for each joint.
  - id: model_extra
    type: model_extra
    if: not _io.eof
    doc: |
      How the editor draws the model.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the damage, or after the last part.
types:
  animation:
    doc: |
      Frame rate and length of the animation.
    seq:
      - id: fps
        type: f4
        doc: |
          Frames per second. The author's viewer treats values below 1 as 1.
      - id: current_time
        type: f4
        doc: |
          The editor's current frame, counted from 1; may be fractional.
      - id: total_frames
        type: s4
        doc: |
          Length in frames.
  comment:
    doc: |
      A text of a group, material or joint.
    seq:
      - id: index
        type: s4
        doc: |
          Index of the group, material or joint that it belongs to.
      - id: len_text
        type: s4
        doc: |
          Length in bytes of `text`.
      - id: text
        size: len_text
        doc: |
          Lines ended by CR LF, in the author's code page, without a NUL.
  comment_lists:
    doc: |
      The layouts of comments.
    params:
      - id: sub_version
        type: s4
    seq:
      - id: sub1
        type: comments1
        if: 'sub_version == 1'
        doc: |
          The only known layout.
  comments:
    doc: |
      Texts attached to groups, materials, joints and the model.
    seq:
      - id: sub_version
        type: s4
      - id: lists
        type: 'comment_lists(sub_version)'
        doc: |
          The texts, in the layout of the sub-version.
  comments1:
    doc: |
      Comments of sub-version 1.
    seq:
      - id: num_groups
        type: s4
        doc: |
          Number of elements of `groups`.
      - id: groups
        type: comment
        repeat: expr
        repeat-expr: num_groups
        doc: |
          Texts of groups.
        -index-of: group
      - id: num_materials
        type: s4
        doc: |
          Number of elements of `materials`.
      - id: materials
        type: comment
        repeat: expr
        repeat-expr: num_materials
        doc: |
          Texts of materials.
        -index-of: material
      - id: num_joints
        type: s4
        doc: |
          Number of elements of `joints`.
      - id: joints
        type: comment
        repeat: expr
        repeat-expr: num_joints
        doc: |
          Texts of joints.
        -index-of: bone
      - id: num_model
        type: s4
        doc: |
          Number of elements of `model`.
      - id: model
        type: model_comment
        repeat: expr
        repeat-expr: num_model
        doc: |
          The text of the model; none or one. Unlike the others it has no index, contrary to the specification.
  f4_x3:
    seq:
      - id: items
        type: f4
        repeat: expr
        repeat-expr: 3
  group:
    doc: |
      Triangles that share a material.
    seq:
      - id: flags
        type: group_flags
        doc: |
          Editor state.
      - id: name
        size: 32
        terminator: 0
        doc: |
          The name.
      - id: num_triangle_indices
        type: u2
        doc: |
          Number of elements of `triangle_indices`.
      - id: triangle_indices
        type: u2
        repeat: expr
        repeat-expr: num_triangle_indices
        doc: |
          Indices into the triangles.
        -index-of: triangle
      - id: material_index
        type: u1
        doc: |
          Index into the materials; 255 means none.
        -index-of: material
        -none: 255
    instances:
      material_index_object:
        value: '_root.materials[material_index]'
        if: 'material_index >= 0 and material_index < _root.materials.size and material_index != 255'
        doc: |
          The material that `material_index` selects.
  group_flags:
    doc: |
      Editor state of a group.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      selected:
        value: '(raw & 0x1) != 0'
        doc: |
          Selected in the editor.
      hidden:
        value: '(raw & 0x2) != 0'
        doc: |
          Hidden in the editor.
  joint:
    doc: |
      A bone of the skeleton.
    seq:
      - id: flags
        type: joint_flags
        doc: |
          Editor state.
      - id: name
        size: 32
        terminator: 0
        doc: |
          The name; unique in valid files.
        -name: bone
      - id: parent_name
        size: 32
        terminator: 0
        doc: |
          Name of the parent joint, empty at a root. If several joints have that name, the first is the parent.
        -name-of: bone
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Bind rotation relative to the parent: Euler angles about x, y, z in radians, applied in that order about fixed
          axes.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Bind translation relative to the parent, in model units.
        -quantity: point
      - id: num_rotation_keys
        type: u2
      - id: num_position_keys
        type: u2
      - id: rotation_keys
        type: keyframe
        repeat: expr
        repeat-expr: num_rotation_keys
        doc: |
          Rotations relative to the bind pose: Euler angles about x, y, z in radians.
      - id: position_keys
        type: keyframe
        repeat: expr
        repeat-expr: num_position_keys
        doc: |
          Translations relative to the bind pose, in the joint's own frame.
        -quantity: length
  joint_colors:
    doc: |
      The layouts of joint colours.
    params:
      - id: sub_version
        type: s4
      - id: num_joints
        type: s8
    seq:
      - id: sub1
        type: f4_x3
        repeat: expr
        repeat-expr: num_joints
        if: 'sub_version == 1'
        doc: |
          Red, green, blue; 0 to 1.
  joint_extra:
    doc: |
      A colour for each joint.
    params:
      - id: num_joints
        type: s8
    seq:
      - id: sub_version
        type: s4
      - id: colors
        type: 'joint_colors(sub_version, num_joints)'
        doc: |
          One colour for each joint.
  joint_flags:
    doc: |
      Editor state of a joint.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      selected:
        value: '(raw & 0x1) != 0'
        doc: |
          Selected in the editor.
      hidden:
        value: '(raw & 0x2) != 0'
        doc: |
          Hidden in the editor.
      selected2:
        value: '(raw & 0x4) != 0'
        doc: |
          Selected as the second of two.
      dirty:
        value: '(raw & 0x8) != 0'
        doc: |
          Changed since it was last drawn.
      is_key:
        value: '(raw & 0x10) != 0'
        doc: |
          Part of a key frame; the most common state.
      newly_created:
        value: '(raw & 0x20) != 0'
        doc: |
          Newly created.
      marked:
        value: '(raw & 0x40) != 0'
        doc: |
          Marked for an operation of the editor.
  keyframe:
    doc: |
      A value at a time.
    seq:
      - id: time
        type: f4
        doc: |
          Seconds; the first frame is 1, so the first key is usually at 1/fps.
      - id: value
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z.
  material:
    doc: |
      Colours and textures.
    seq:
      - id: name
        size: 32
        terminator: 0
        doc: |
          The name; may be empty.
        -name: material
      - id: ambient
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Red, green, blue, alpha; 0 to 1.
      - id: diffuse
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Red, green, blue, alpha; 0 to 1.
      - id: specular
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Red, green, blue, alpha; 0 to 1.
      - id: emissive
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Red, green, blue, alpha; 0 to 1.
      - id: shininess
        type: f4
        doc: |
          0 to 128.
      - id: transparency
        type: f4
        doc: |
          Opacity in spite of its name: 1 is opaque.
      - id: mode
        type: material_mode
        doc: |
          How the texture is used.
      - id: texture
        size: 128
        terminator: 0
        doc: |
          Path of the texture, relative or absolute, in the author's code page. Bytes after the NUL are often the rest of
          an older path.
        -name-of: texture
      - id: alphamap
        size: 128
        terminator: 0
        doc: |
          Path of the alpha map.
        -name-of: texture
  material_mode:
    doc: |
      How a material's texture is used.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      legacy:
        value: '(raw >> 0) & 0x3'
        doc: |
          0, 1 or 2; obsolete.
      combine_alpha:
        value: '(raw & 0x20) != 0'
        doc: |
          Combine the alpha map with the texture's own alpha.
      has_alpha:
        value: '(raw & 0x40) != 0'
        doc: |
          The texture has an alpha channel.
      sphere_map:
        value: '(raw & 0x80) != 0'
        doc: |
          The texture is a sphere map.
  model_comment:
    doc: |
      The text of the model.
    seq:
      - id: len_text
        type: s4
        doc: |
          Length in bytes of `text`.
      - id: text
        size: len_text
        doc: |
          Lines ended by CR LF, in the author's code page, without a NUL.
  model_extra:
    doc: |
      How the editor draws the model.
    seq:
      - id: sub_version
        type: s4
      - id: settings
        type: 'model_settings(sub_version)'
        doc: |
          The settings, in the layout of the sub-version.
  model_settings:
    doc: |
      The layouts of drawing settings.
    params:
      - id: sub_version
        type: s4
    seq:
      - id: sub1
        type: model_settings1
        if: 'sub_version == 1'
        doc: |
          The only known layout.
  model_settings1:
    doc: |
      Drawing settings of sub-version 1.
    seq:
      - id: joint_size
        type: f4
        doc: |
          Size at which joints are drawn, in model units.
        -quantity: length
      - id: transparency_mode
        type: s4
        doc: |
          0 simple. In the specification 1 is depth-buffered with alpha reference and 2 depth-sorted; the author's viewer
          swaps the two.
      - id: alpha_ref
        type: f4
        doc: |
          Pixels with a lower alpha are not drawn; 0 to 1.
  triangle:
    doc: |
      Three corners with a normal and texture coordinates each.
    seq:
      - id: flags
        type: triangle_flags
        doc: |
          Editor state.
      - id: vertex_indices
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices into the vertices.
        -index-of: vertex
      - id: vertex_normals
        type: f4_x3
        repeat: expr
        repeat-expr: 3
        doc: |
          A normal for each corner, usually of unit length.
      - id: s
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Horizontal texture coordinate of each corner.
      - id: t
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Vertical texture coordinate of each corner; grows downwards from the top of the image.
      - id: smoothing_group
        type: u1
        doc: |
          1 to 32; 0 means none.
      - id: group_index
        type: u1
        doc: |
          Index of the group that lists it.
        -index-of: group
    instances:
      group_index_object:
        value: '_root.groups[group_index]'
        if: 'group_index >= 0 and group_index < _root.groups.size'
        doc: |
          The group that `group_index` selects.
  triangle_flags:
    doc: |
      Editor state of a triangle.
    seq:
      - id: raw
        type: u2
        doc: |
          All bits as one number.
    instances:
      selected:
        value: '(raw & 0x1) != 0'
        doc: |
          Selected in the editor.
      hidden:
        value: '(raw & 0x2) != 0'
        doc: |
          Hidden in the editor.
      selected2:
        value: '(raw & 0x4) != 0'
        doc: |
          Selected as the second of two.
      dirty:
        value: '(raw & 0x8) != 0'
        doc: |
          Changed since it was last drawn.
      is_key:
        value: '(raw & 0x10) != 0'
        doc: |
          Part of a key frame.
      newly_created:
        value: '(raw & 0x20) != 0'
        doc: |
          Newly created.
      marked:
        value: '(raw & 0x40) != 0'
        doc: |
          Marked for an operation of the editor.
  vertex:
    doc: |
      A position with its joint.
    seq:
      - id: flags
        type: vertex_flags
        doc: |
          Editor state.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
        -quantity: point
      - id: bone_id
        type: u1
        doc: |
          Index of the joint that moves it; 255 means none.
        -index-of: bone
        -none: 255
      - id: reference_count
        type: u1
        doc: |
          Triangle corners that use it, modulo 256. Some writers leave it zero.
    instances:
      bone_id_object:
        value: '_root.joints[bone_id]'
        if: 'bone_id >= 0 and bone_id < _root.joints.size and bone_id != 255'
        doc: |
          The bone that `bone_id` selects.
  vertex_extra:
    doc: |
      Additional influences of each vertex.
    params:
      - id: num_vertices
        type: s8
    seq:
      - id: sub_version
        type: s4
      - id: records
        type: 'vertex_extra_records(sub_version, num_vertices)'
        doc: |
          One record for each vertex, in the layout of the sub-version.
  vertex_extra1:
    doc: |
      Influences two to four of a vertex.
    seq:
      - id: bone_ids
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Joints of the second to fourth influence; 255 means none.
        -index-of: bone
        -none: 255
      - id: weights
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Weights of the first to third influence, 0 to 100; the fourth is the remainder to 100. All zero means full
          weight on the vertex's own joint. Some writers of this sub-version use 0 to 255: see `VertexExtraRecords::full_weight`.
  vertex_extra2:
    doc: |
      Influences two to four of a vertex, and a custom word.
    seq:
      - id: bone_ids
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Joints of the second to fourth influence; 255 means none.
        -index-of: bone
        -none: 255
      - id: weights
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Weights of the first to third influence, 0 to 100; see `VertexExtra1::weights`.
      - id: extra
        type: u4
        doc: |
          Custom data; often uninitialised memory.
  vertex_extra3:
    doc: |
      Influences two to four of a vertex, and two custom words.
    seq:
      - id: bone_ids
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Joints of the second to fourth influence; 255 means none.
        -index-of: bone
        -none: 255
      - id: weights
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Weights of the first to third influence, 0 to 100; see `VertexExtra1::weights`.
      - id: extra
        type: u4
        repeat: expr
        repeat-expr: 2
        doc: |
          Custom data; often uninitialised memory.
  vertex_extra_records:
    doc: |
      The layouts of additional influences.
    params:
      - id: sub_version
        type: s4
      - id: num_vertices
        type: s8
    seq:
      - id: sub1
        type: vertex_extra1
        repeat: expr
        repeat-expr: num_vertices
        if: 'sub_version == 1'
        doc: |
          Influences only.
      - id: sub2
        type: vertex_extra2
        repeat: expr
        repeat-expr: num_vertices
        if: 'sub_version == 2'
        doc: |
          Influences and one custom word.
      - id: sub3
        type: vertex_extra3
        repeat: expr
        repeat-expr: num_vertices
        if: 'sub_version == 3'
        doc: |
          Influences and two custom words.
  vertex_flags:
    doc: |
      Editor state of a vertex or triangle corner.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      selected:
        value: '(raw & 0x1) != 0'
        doc: |
          Selected in the editor.
      hidden:
        value: '(raw & 0x2) != 0'
        doc: |
          Hidden in the editor.
      selected2:
        value: '(raw & 0x4) != 0'
        doc: |
          Selected as the second of two.
      dirty:
        value: '(raw & 0x8) != 0'
        doc: |
          Changed since it was last drawn.
      is_key:
        value: '(raw & 0x10) != 0'
        doc: |
          Part of a key frame.
      newly_created:
        value: '(raw & 0x20) != 0'
        doc: |
          Newly created.
      marked:
        value: '(raw & 0x40) != 0'
        doc: |
          Marked for an operation of the editor.
