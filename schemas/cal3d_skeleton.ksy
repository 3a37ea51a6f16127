# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: cal3d_skeleton
  title: Cal3D skeleton
  file-extension:
    - csf
    - xsf
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A `.csf` file: bones with their bind pose.


  The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the
  dialect mp1301 has the layout of version 1301. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x53, 0x46, 0x00]
    doc: |
      `CSF` and a NUL.
  - id: version
    type: s4
    doc: |
      The number of the library that wrote it.
  - id: num_bones
    type: s4
  - id: scene_ambient
    type: f4
    repeat: expr
    repeat-expr: 3
    if: '(version >= 911 and version < 1000) or version == 1300'
    doc: |
      Red, green, blue of the light that comes from everywhere; 0 to 1.
  - id: bones
    type: 'bone(version)'
    repeat: expr
    repeat-expr: num_bones
    doc: |
      The bones; others name them by their index here.
    -axis: bone
  - id: rest
    size-eos: true
    doc: |
      Bytes after the last bone.
types:
  bone:
    doc: |
      A bone and its bind pose.
    params:
      - id: version
        type: s8
    seq:
      - id: len_name
        type: s4
        doc: |
          Length in bytes of `name`.
      - id: name
        size: len_name
        doc: |
          The name.
        -name: bone
      - id: translation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Bind translation relative to the parent, in model units.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Bind rotation relative to the parent: x, y, z, w.
      - id: local_translation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation from model space into the bone's own.
        -quantity: point
      - id: local_rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation from model space into the bone's own: x, y, z, w.
      - id: parent_id
        type: s4
        doc: |
          Index of the parent; -1 at a root.
        -index-of: bone
        -none: -1
      - id: light
        type: light
        if: '(version >= 911 and version < 1000) or version == 1300'
        doc: |
          What the bone shines with.
      - id: num_child_ids
        type: s4
        doc: |
          Number of elements of `child_ids`.
      - id: child_ids
        type: s4
        repeat: expr
        repeat-expr: num_child_ids
        doc: |
          Indices of the children.
        -index-of: bone
    instances:
      parent_id_object:
        value: '_root.bones[parent_id]'
        if: 'parent_id >= 0 and parent_id < _root.bones.size and parent_id != -1'
        doc: |
          The bone that `parent_id` selects.
  light:
    doc: |
      A light that a bone carries.
    seq:
      - id: kind
        type: s4
        doc: |
          0 none, 1 everywhere, 2 far away, 3 a point, 4 a spot.
      - id: color
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Red, green, blue; 0 to 1.
