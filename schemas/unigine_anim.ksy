# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: unigine_anim
  title: UNIGINE animation
  file-extension: anim
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A UNIGINE animation. Its first four bytes tell the layout. The frame rate is not stored.
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
instances:
  magic:
    pos: 0
    type: u4
types:
  anim10:
    doc: |
      Animations of version an10: keys hold what changes, positions and scales are fractions of a box.
    seq:
      - id: id
        contents: [0x61, 0x6e, 0x31, 0x30]
        doc: |
          `an10`.
      - id: bounds
        type: bounds
        doc: |
          In all files known the bounds of nothing.
      - id: num_bones
        type: cint
        doc: |
          How many there are of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones.value
        doc: |
          The skeleton, parents by index.
      - id: num_names
        type: cint
        doc: |
          How many there are of `names`.
      - id: names
        type: animation_name
        repeat: expr
        repeat-expr: num_names.value
        doc: |
          Names of the animations; in all files known one, usually `Take 001`.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between the headers and the data.
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
          Bodies of the animations.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic once more, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes behind the end.
  anim11:
    doc: |
      An animation of version an11: floats, each frame complete in itself.
    seq:
      - id: id
        contents: [0x61, 0x6e, 0x31, 0x31]
        doc: |
          `an11`.
      - id: num_bones
        type: cint
        doc: |
          How many there are of `bones`.
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: num_bones.value
        doc: |
          The skeleton, parents by index.
      - id: middle_id
        size: 4
        terminator: 0
        doc: |
          The magic again, between the headers and the data.
      - id: transforms
        type: transform
        repeat: expr
        repeat-expr: bones.size
        doc: |
          Bind pose of each bone.
      - id: num_bone_indices
        type: cint
        doc: |
          How many there are of `bone_indices`.
      - id: bone_indices
        type: s2
        repeat: expr
        repeat-expr: num_bone_indices.value
        doc: |
          The bones that are animated, as indices into the bones.
      - id: num_frames
        type: cint
        doc: |
          How many there are of `frames`.
      - id: frames
        type: 'key11_row(bone_indices.size)'
        repeat: expr
        repeat-expr: num_frames.value
        doc: |
          For each frame a key for each bone index: `frames[3][0].rotation`.
      - id: tail_id
        size: 4
        terminator: 0
        doc: |
          The magic once more, at the end of the file.
      - id: rest
        size-eos: true
        doc: |
          Bytes behind the end.
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
      - id: parent
        type: s2
        doc: |
          Index of the parent; -1 at a root. A parent may stand behind its child.
  bounds:
    doc: |
      The smallest box and sphere around some vertices.

      A box of nothing has its minimum at 1e9 and its maximum at -1e9, and its sphere a radius of -1.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Least x, y, z.
      - id: max
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Greatest x, y, z.
      - id: center
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Centre of the sphere.
      - id: radius
        type: f4
        doc: |
          Radius of the sphere.
  cint:
    -leaf: true
    doc: |
      Compact signed integer: bit 7 says that another byte follows, bit 6 of the first byte is the sign,
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
      What changes of a bone in a frame; everything else stays as it was in the frame before.

      Positions and scales are `f32` in a mesh and `u16`, fractions of a box, in an animation file.
    seq:
      - id: flags
        type: key_flags
        doc: |
          What is there. In the first frame, every bone has what the mask of the animation has.
      - id: position_x
        type: u2
        if: flags.position_x
        doc: |
          Position along x.
      - id: position_y
        type: u2
        if: flags.position_y
        doc: |
          Position along y.
      - id: position_z
        type: u2
        if: flags.position_z
        doc: |
          Position along z.
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
      The pose of a bone in a frame: an11. What is not there is as if the bone were not moved, turned or scaled at all,
      which is known from an12 and fits all an11 files.
    seq:
      - id: flags
        type: key_flags11
        doc: |
          What is there.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        if: flags.position
        doc: |
          x, y, z in model units.
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
      What a key holds of a bone. The mask of an animation has the flags that occur in it.
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
      What a key of an11 holds of a bone.
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
          How many there are of `bone_indices`.
      - id: bone_indices
        type: s2
        repeat: expr
        repeat-expr: num_bone_indices.value
        doc: |
          The bones that are animated, as indices into the bones; any order, not necessarily all.
      - id: positions
        type: quantized_box
        doc: |
          The box that positions are fractions of.
      - id: scales
        type: quantized_box
        doc: |
          The box that scales are fractions of; empty where nothing is scaled.
      - id: mask
        type: key_flags
        doc: |
          All flags that occur.
      - id: num_frames
        type: cint
        doc: |
          How many there are of `frames`.
      - id: frames
        type: 'key_row(num_bone_indices.value)'
        repeat: expr
        repeat-expr: num_frames.value
        doc: |
          For each frame a key for each bone index: `frames[3][0].rotation`.
  quantized_box:
    doc: |
      The box that values are fractions of: 0 is its minimum, 65535 its maximum.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Least x, y, z. An empty box has 1e9.
      - id: size
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Extent along x, y, z. An empty box has -2e9.
  transform:
    doc: |
      Place, turn and size.
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z in model units.
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
