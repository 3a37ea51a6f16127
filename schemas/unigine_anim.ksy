# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: unigine_anim
  title: UNIGINE animation
  file-extension: anim
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A UNIGINE animation. The first four bytes determine the layout. Only an12 stores the frame rate.
seq:
  - id: anim10
    type: anim10
    if: 'magic == 0x30316e61'
    doc: |
      an10.
  - id: anim11
    type: anim11
    if: 'magic == 0x31316e61'
    doc: |
      an11.
  - id: anim12
    type: anim12
    if: 'magic == 0x32316e61'
    doc: |
      an12.
instances:
  magic:
    pos: 0
    type: u4
types:
  anim10:
    doc: |
      Animations of version an10. A key has only the components that change; positions and scales are quantised to a box.
    seq:
      - id: id
        contents: [0x61, 0x6e, 0x31, 0x30]
        doc: |
          `an10`.
      - id: bounds
        type: bounds
        doc: |
          Empty in all known files.
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
      - id: num_names
        type: cint
        doc: |
          Number of elements of `names`.
      - id: names
        type: animation_name
        repeat: expr
        repeat-expr: num_names.value
        doc: |
          Names of the animations; one in all known files, usually `Take 001`.
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
        type: quantized_animation
        repeat: expr
        repeat-expr: names.size
        doc: |
          Keys of the animations.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  anim11:
    doc: |
      An animation of version an11. Values are floats, and each frame is complete.
    seq:
      - id: id
        contents: [0x61, 0x6e, 0x31, 0x31]
        doc: |
          `an11`.
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
      - id: num_frames
        type: cint
        doc: |
          Number of elements of `frames`.
      - id: frames
        type: 'key11_row(bone_indices.size)'
        repeat: expr
        repeat-expr: num_frames.value
        doc: |
          One key for each frame and bone index: `frames[3][0].rotation`.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
  anim12:
    doc: |
      An animation of version an12: as an11, with a frame rate, and with the bind pose in the file of the skeleton.

      The layout is that of the vendor's description; no file of this version is known.
    seq:
      - id: id
        contents: [0x61, 0x6e, 0x31, 0x32]
        doc: |
          `an12`.
      - id: num_bones
        type: s4
        doc: |
          Number of elements of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones
        doc: |
          The bones of the skeleton, parents by index.
        -axis: bone
      - id: skeleton
        type: reference
        doc: |
          The file of the skeleton.
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
      - id: frame_rate
        type: s4
        doc: |
          Frames per second.
      - id: root_motion
        type: u1
        doc: |
          1 if the root moves the character through the world, else 0.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between headers and data.
      - id: num_frames
        type: cint
        doc: |
          Number of elements of `frames`.
      - id: frames
        type: 'key11_row(bone_indices.size)'
        repeat: expr
        repeat-expr: num_frames.value
        doc: |
          One key for each frame and bone index: `frames[3][0].rotation`.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic again, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes after the end.
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
        type: u2
        if: flags.position_x
        doc: |
          Position along x.
        -quantity: length
      - id: position_y
        type: u2
        if: flags.position_y
        doc: |
          Position along y.
        -quantity: length
      - id: position_z
        type: u2
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
        type: u2
        if: flags.scale_x
        doc: |
          Scale along x.
      - id: scale_y
        type: u2
        if: flags.scale_y
        doc: |
          Scale along y.
      - id: scale_z
        type: u2
        if: flags.scale_z
        doc: |
          Scale along z.
  key11:
    doc: |
      The pose of a bone in a frame of an11. A missing component is the identity: the documentation of an12 states it, and
      all known an11 files agree.
    seq:
      - id: flags
        type: key_flags11
        doc: |
          The components that are present.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        if: flags.position
        doc: |
          x, y, z in model units.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        if: flags.rotation
        doc: |
          Quaternion x, y, z, w.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        if: flags.scale
        doc: |
          Factors along x, y, z.
  key11_row:
    params:
      - id: num_items
        type: s8
    seq:
      - id: items
        type: key11
        repeat: expr
        repeat-expr: num_items
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
  key_flags11:
    doc: |
      The components that a key of an11 has.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      position:
        value: '(raw & 0x1) != 0'
        doc: |
          Position.
      rotation:
        value: '(raw & 0x2) != 0'
        doc: |
          Rotation.
      scale:
        value: '(raw & 0x4) != 0'
        doc: |
          Scale.
  key_row:
    params:
      - id: num_items
        type: s8
    seq:
      - id: items
        type: key
        repeat: expr
        repeat-expr: num_items
  quantized_animation:
    doc: |
      An animation of an animation file: an10.
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
          Indices of the animated bones, in any order, not necessarily all.
        -index-of: bone
      - id: positions
        type: quantized_box
        doc: |
          Range of the positions.
        -quantity: length
      - id: scales
        type: quantized_box
        doc: |
          Range of the scales; empty if no bone is scaled.
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
  quantized_box:
    doc: |
      The range of quantised values: 0 is the minimum, 65535 the maximum.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Minimum x, y, z; 1e9 in an empty box.
        -none: 1000000000
      - id: size
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Extent along x, y, z; -2e9 in an empty box.
        -none: -2000000000
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
