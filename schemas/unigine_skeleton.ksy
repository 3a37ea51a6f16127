# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: unigine_skeleton
  title: UNIGINE skeleton
  file-extension: skeleton
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A UNIGINE skeleton: joints with their bind pose, and settings of playback.
seq:
  - id: id
    contents: [0x73, 0x6e, 0x31, 0x30]
    doc: |
      `sn10`.
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
  - id: transforms
    type: transform
    repeat: expr
    repeat-expr: bones.size
    doc: |
      Bind pose of each joint.
  - id: middle_id
    size: 4
    terminator: 0
    doc: |
      The magic again, before the settings.
  - id: num_masks
    type: s4
    doc: |
      Number of elements of `masks`.
  - id: masks
    type: joint_weights
    repeat: expr
    repeat-expr: num_masks
    doc: |
      Influence of an animation on each joint, 0 to 1.
  - id: num_time_profiles
    type: s4
    doc: |
      Number of elements of `time_profiles`.
  - id: time_profiles
    type: joint_weights
    repeat: expr
    repeat-expr: num_time_profiles
    doc: |
      Factors on the time that each joint takes to blend: 2 is twice as fast.
  - id: num_weight_profiles
    type: s4
    doc: |
      Number of elements of `weight_profiles`.
  - id: weight_profiles
    type: joint_weights
    repeat: expr
    repeat-expr: num_weight_profiles
    doc: |
      Factors on the weight of each joint.
  - id: num_retarget
    type: s4
    doc: |
      Number of elements of `retarget`.
  - id: retarget
    type: retarget
    repeat: expr
    repeat-expr: num_retarget
    doc: |
      How the translations of each joint are fitted to another skeleton.
  - id: tail_id
    size: 4
    terminator: 0
    doc: |
      The magic again, at the end of the file.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the end.
types:
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
    instances:
      parent_object:
        value: '_root.bones[parent]'
        if: 'parent >= 0 and parent < _root.bones.size and parent != -1'
        doc: |
          The bone that `parent` selects.
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
  joint_weights:
    doc: |
      A named number for each joint.
    seq:
      - id: len_name
        type: s4
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name
        doc: |
          The name.
      - id: num_values
        type: s4
        doc: |
          Number of elements of `values`.
      - id: values
        type: f4
        repeat: expr
        repeat-expr: num_values
        doc: |
          A number for each joint.
  retarget:
    doc: |
      How the translations of a joint are fitted to another skeleton.
    seq:
      - id: mode
        type: s4
        enum: retarget_mode
        doc: |
          The animated translation (pose), that of the bind pose, or the animated one in proportion to the lengths.
      - id: length
        type: f4
        doc: |
          The length of the joint; negative for that of the bind pose.
        -quantity: length
        -none: -1
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
enums:
  retarget_mode:
    0: pose
    1: bind
    2: proportion
