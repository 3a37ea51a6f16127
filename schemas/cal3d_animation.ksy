# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: cal3d_animation
  title: Cal3D animation
  file-extension:
    - caf
    - xaf
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A `.caf` file: tracks of keys, each for a bone.


  The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the
  dialect mp1301 has the layout of version 1301. The XML form is text.
seq:
  - id: magic
    contents: [0x43, 0x41, 0x46, 0x00]
    doc: |
      `CAF` and a NUL.
  - id: version
    type: s4
    doc: |
      The number of the library that wrote it.
  - id: compression
    type: s4
    if: '(version >= 919 and version < 1000) or version >= 1300'
    doc: |
      Whether the tracks are packed: 0 or 1.
  - id: duration
    type: f4
    doc: |
      Length in seconds.
  - id: num_tracks
    type: s4
  - id: track_flags
    type: track_flags
    if: '(version >= 1200 and version < 1300) or version >= 1300'
    doc: |
      How the tracks are stored.
  - id: tracks
    type: 'track(((version >= 913 and version < 919) or (((version >= 919 and version < 1000) or version >= 1300) and compression != 0)) ? 2 : ((((version >= 1200 and version < 1300) or version >= 1300) and (track_flags.raw & 1) != 0) ? 1 : 0), version)'
    repeat: expr
    repeat-expr: num_tracks
    doc: |
      The tracks, as version, compression and flags lay them out.
  - id: rest
    size-eos: true
    doc: |
      Bytes after the last track.
types:
  far_position:
    doc: |
      A translation within 2^23 units: for each axis 25 bits of magnitude and a sign. That along z is in both words.
    seq:
      - id: low
        type: far_position_low
        doc: |
          The translation along x and y, and the beginning of that along z.
      - id: high
        type: far_position_high
        doc: |
          The end of the translation along z.
  far_position_high:
    doc: |
      The upper 16 bits of a `FarPosition`.
    seq:
      - id: raw
        type: u2
        doc: |
          All bits as one number.
    instances:
      z_high:
        value: '(raw >> 0) & 0x1fff'
        doc: |
          The upper 13 bits of the distance along z, in 33554431ths of 2^23 units.
      z_negative:
        value: '(raw & 0x2000) != 0'
        doc: |
          z is negative.
  far_position_low:
    doc: |
      The lower 64 bits of a `FarPosition`.
    seq:
      - id: raw
        type: u8
        doc: |
          All bits as one number.
    instances:
      x:
        value: '(raw >> 0) & 0x1ffffff'
        doc: |
          Distance along x, in 33554431ths of 2^23 units.
      x_negative:
        value: '(raw & 0x2000000) != 0'
        doc: |
          x is negative.
      y:
        value: '(raw >> 26) & 0x1ffffff'
        doc: |
          Distance along y, in 33554431ths of 2^23 units.
      y_negative:
        value: '(raw & 0x8000000000000) != 0'
        doc: |
          y is negative.
      z_low:
        value: '(raw >> 52) & 0xfff'
        doc: |
          The lower 12 bits of the distance along z.
  near_position:
    doc: |
      A translation within 128 units: for each axis 9 bits of magnitude and a sign.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      x:
        value: '(raw >> 0) & 0x1ff'
        doc: |
          Distance along x, in 511ths of 128 units.
      x_negative:
        value: '(raw & 0x200) != 0'
        doc: |
          x is negative.
      y:
        value: '(raw >> 10) & 0x1ff'
        doc: |
          Distance along y, in 511ths of 128 units.
      y_negative:
        value: '(raw & 0x80000) != 0'
        doc: |
          y is negative.
      z:
        value: '(raw >> 20) & 0x1ff'
        doc: |
          Distance along z, in 511ths of 128 units.
      z_negative:
        value: '(raw & 0x20000000) != 0'
        doc: |
          z is negative.
  packed_header:
    doc: |
      The bone of a track and the layout of its keys.
    seq:
      - id: raw
        type: u2
        doc: |
          All bits as one number.
    instances:
      bone_id:
        value: '(raw >> 0) & 0x1fff'
        doc: |
          Index of the bone.
      position_varies:
        value: '(raw & 0x2000) != 0'
        doc: |
          Every key has a position, or else the first alone.
      far:
        value: '(raw & 0x4000) != 0'
        doc: |
          Positions are far ones, or else near ones.
      has_position:
        value: '(raw & 0x8000) != 0'
        doc: |
          Keys have positions, or else the bone keeps that of its bind pose.
  packed_key:
    doc: |
      Where a bone is at a time, in 6 to 16 bytes.
    params:
      - id: header
        type: s8
      - id: first
        type: bool
      - id: version
        type: s8
    seq:
      - id: position
        type: 'packed_position((header & 0x4000) != 0)'
        if: '(header & 0x8000) != 0 and (first or (header & 0x2000) != 0)'
        doc: |
          Translation relative to the parent; absent if the track header specifies it.
      - id: rotation
        type: packed_rotation
        doc: |
          Rotation relative to the parent, and the time.
      - id: exact_translation
        type: f4
        repeat: expr
        repeat-expr: 3
        if: 'version == 917 and (header & 0x8000) != 0 and (first or (header & 0x2000) != 0)'
        doc: |
          The translation again, as plain numbers.
      - id: exact_rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        if: 'version == 916 or version == 917'
        doc: |
          The rotation again, as plain numbers: x, y, z, w.
  packed_position:
    doc: |
      A packed translation.
    params:
      - id: is_far
        type: bool
    seq:
      - id: near
        type: near_position
        if: not is_far
        doc: |
          Within 128 units.
      - id: far
        type: far_position
        if: is_far
        doc: |
          Within 2^23 units.
  packed_rotation:
    doc: |
      A rotation and a time: 1 bit of sign and 11 of magnitude for each component of the quaternion but the largest, which is positive.
      The third of the others is in both words.
    seq:
      - id: low
        type: packed_rotation_low
        doc: |
          Two components, and the beginning of the third one.
      - id: high
        type: packed_rotation_high
        doc: |
          The end of the third component, and the time.
  packed_rotation_high:
    doc: |
      The upper 16 bits of a `PackedRotation`.
    seq:
      - id: raw
        type: u2
        doc: |
          All bits as one number.
    instances:
      third_high:
        value: '(raw >> 0) & 0x3f'
        doc: |
          The upper 6 bits of the magnitude of the third component, in 2047ths.
      time:
        value: '(raw >> 6) & 0x3ff'
        doc: |
          Thirtieths of a second.
  packed_rotation_low:
    doc: |
      The lower 32 bits of a `PackedRotation`.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      omitted:
        value: '(raw >> 0) & 0x3'
        doc: |
          Index of the omitted component.
      first_negative:
        value: '(raw & 0x4) != 0'
        doc: |
          The first component is negative.
      first:
        value: '(raw >> 3) & 0x7ff'
        doc: |
          Magnitude of the first component, in 2047ths.
      second_negative:
        value: '(raw & 0x4000) != 0'
        doc: |
          The second component is negative.
      second:
        value: '(raw >> 15) & 0x7ff'
        doc: |
          Magnitude of the second component, in 2047ths.
      third_negative:
        value: '(raw & 0x4000000) != 0'
        doc: |
          The third component is negative.
      third_low:
        value: '(raw >> 27) & 0x1f'
        doc: |
          The lower 5 bits of the magnitude of the third component.
  packed_track:
    doc: |
      Keys of 6 to 16 bytes, relative to fixed ranges.
    params:
      - id: version
        type: s8
    seq:
      - id: header
        type: packed_header
        doc: |
          The bone and the layout of its keys.
      - id: num_keys
        type: u2
      - id: keys
        type: 'packed_key(header.raw, _index == 0, version)'
        repeat: expr
        repeat-expr: num_keys
        doc: |
          The keys in the order of time.
  plain_key:
    doc: |
      Where a bone is at a time.
    seq:
      - id: time
        type: f4
        doc: |
          Seconds.
      - id: translation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation relative to the parent, in model units.
        -quantity: point
        -none: 10000000000
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation relative to the parent: x, y, z, w.
  plain_track:
    doc: |
      Keys as plain numbers.
    seq:
      - id: bone_id
        type: s4
        doc: |
          Index of the bone.
        -index-of: bone
      - id: num_keys
        type: s4
        doc: |
          Number of elements of `keys`.
      - id: keys
        type: plain_key
        repeat: expr
        repeat-expr: num_keys
        doc: |
          The keys in the order of time.
  quantized_component:
    doc: |
      A component of a quaternion, and a bit of the index of the omitted one.
    seq:
      - id: raw
        type: u2
        doc: |
          All bits as one number.
    instances:
      omitted_bit:
        value: '(raw & 0x1) != 0'
        doc: |
          A bit of the index of the omitted component.
      half:
        value: '(raw >> 1) & 0x7fff'
        doc: |
          Half of the component, as two's complement.
  quantized_key:
    doc: |
      Where a bone is at a time, in 12 bytes.
    seq:
      - id: time
        type: u2
        doc: |
          0 at the start to 65535 at the end of the animation.
      - id: translation
        type: quantized_translation
        doc: |
          Steps from the minimum corner of the track's box.
      - id: rotation
        type: quantized_rotation
        doc: |
          Rotation relative to the parent.
  quantized_rotation:
    doc: |
      Three components of a quaternion, in 32767ths of the square root of a half. The fourth is the largest, and positive.
    seq:
      - id: first
        type: s2
        doc: |
          The first component.
      - id: second
        type: quantized_component
        doc: |
          The second component, and the upper bit of the index of the omitted one.
      - id: third
        type: quantized_component
        doc: |
          The third component, and the lower bit of that index.
  quantized_track:
    doc: |
      Keys of 12 bytes, relative to a box and the animation's length.
    seq:
      - id: bone_id
        type: s4
        doc: |
          Index of the bone.
        -index-of: bone
      - id: num_keys
        type: s4
      - id: translation_min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Minimum corner of the bounding box of all translations.
        -quantity: point
      - id: translation_scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          What a step of each component of a translation is worth.
        -quantity: length
      - id: keys
        type: quantized_key
        repeat: expr
        repeat-expr: num_keys
        doc: |
          The keys in the order of time.
  quantized_translation:
    doc: |
      Steps from the minimum corner of a box.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      x:
        value: '(raw >> 0) & 0x7ff'
        doc: |
          Steps along x.
      y:
        value: '(raw >> 11) & 0x7ff'
        doc: |
          Steps along y.
      z:
        value: '(raw >> 22) & 0x3ff'
        doc: |
          Steps along z.
  track:
    doc: |
      The keys of a bone.
    params:
      - id: encoding
        type: s8
      - id: version
        type: s8
    seq:
      - id: plain
        type: plain_track
        if: 'encoding == 0'
        doc: |
          As plain numbers.
      - id: quantized
        type: quantized_track
        if: 'encoding == 1'
        doc: |
          Relative to a box and the animation's length.
      - id: packed
        type: 'packed_track(version)'
        if: 'encoding == 2'
        doc: |
          Relative to fixed ranges.
  track_flags:
    doc: |
      Flags of the tracks of an animation.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      quantized:
        value: '(raw & 0x1) != 0'
        doc: |
          The keys are quantized.
