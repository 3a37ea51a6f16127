# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: psk
  title: Unreal mesh (PSK, PSKX)
  file-extension:
    - psk
    - pskx
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A mesh: a PSK or PSKX file.

  Chunks occur in any order and number. The extension does not indicate the contents: some writers use `.pskx` for static
  meshes, some for more than 65,536 wedges, some for no particular reason.
seq:
  - id: chunks
    type: chunk
    repeat: eos
    doc: |
      The contents; old readers depend on their order, which is preserved.
  - id: rest
    size-eos: true
    doc: |
      The bytes from the first invalid chunk header on.
types:
  aux_flags:
    doc: |
      Tags that the 3ds Max exporter found in the name of a material.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      explicit_skin:
        value: '(raw & 0x1) != 0'
        doc: |
          The name had a tag `skinNN`.
  bone:
    doc: |
      A bone, in the skeleton of a mesh or of a set of animations.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name, by which meshes and animations are matched, ignoring case. Not always unique.
        -name: bone
      - id: flags
        type: u4
        doc: |
          Reserved.
      - id: num_children
        type: s4
        doc: |
          The number of direct children; some writers count all descendants, some write 0.
      - id: parent_index
        type: s4
        doc: |
          Index of the parent. A root has its own, 0, or -1; UE Viewer's animations have 0 for every bone.
        -index-of: bone
        -none: -1
      - id: orientation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation relative to the parent: a quaternion x, y, z, w; conjugated except at a root.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation relative to the parent, in model units.
        -quantity: point
      - id: length
        type: f4
        doc: |
          Unused; 0 or 1.
      - id: size
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Unused, except by writers that store the bone's scale here.
  chunk:
    doc: |
      A header of 32 bytes and the records it announces.
    seq:
      - id: id
        size: 20
        terminator: 0
        doc: |
          The kind of the records, up to 19 characters; some writers leave residue after the NUL.
      - id: type_flag
        type: s4
        doc: |
          The version as a date, on the first chunk or on all; 0 elsewhere.
      - id: data_size
        type: s4
        doc: |
          Bytes per record.
      - id: data_count
        type: s4
        doc: |
          The number of records.
      - id: records
        type: 'records(id.to_s("ASCII"), data_size, data_count)'
        doc: |
          The records.
  curve:
    doc: |
      A blend curve: a weight for each frame of a sequence.
    params:
      - id: num_frames
        type: s8
    seq:
      - id: name
        size: 128
        terminator: 0
        doc: |
          The name.
      - id: weights
        type: f4
        repeat: expr
        repeat-expr: num_frames
        doc: |
          A weight for each frame.
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
  face:
    doc: |
      A triangle. The order of the corners gives inward normals if the points are read as right-handed.
    seq:
      - id: wedge_indices
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices into the wedges.
        -index-of: wedge
      - id: material_index
        type: u1
        doc: |
          Index of the material.
        -index-of: material
      - id: aux_material_index
        type: u1
        doc: |
          A second material; unused.
      - id: smoothing_groups
        type: smoothing_groups
        doc: |
          The smoothing groups. Files made from games have 1 everywhere.
  face32:
    doc: |
      A triangle with wide indices, without padding. The corners are ordered as in `Face`.

      Builds of UE Viewer from November 2011 to January 2012 stated 20 bytes for these 18; such a file is damaged from
      the next chunk on.
    seq:
      - id: wedge_indices
        type: u4
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices into the wedges.
        -index-of: wedge
      - id: material_index
        type: u1
        doc: |
          Index of the material.
        -index-of: material
      - id: aux_material_index
        type: u1
        doc: |
          A second material; unused.
      - id: smoothing_groups
        type: smoothing_groups
        doc: |
          The smoothing groups. Files made from games have 1 everywhere.
  instance_material:
    doc: |
      A material that an actor has instead of that of its asset.
    seq:
      - id: actor_index
        type: s4
        doc: |
          Index of the actor.
        -index-of: actor
      - id: slot
        type: s4
        doc: |
          Index of the material it replaces.
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name of the material.
        -name-of: material
  key:
    doc: |
      Position and rotation of a bone in a frame.
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation relative to the parent, in model units.
        -quantity: point
      - id: orientation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation relative to the parent: a quaternion x, y, z, w; conjugated except at a root.
      - id: time
        type: f4
        doc: |
          Time to the next key, in frames or seconds; readers ignore it.
  landscape:
    doc: |
      A tile of a landscape.
    seq:
      - id: path
        size: 256
        terminator: 0
        doc: |
          Path of the height map.
        -name-of: texture
      - id: actor_index
        type: s4
        doc: |
          Index of the actor it belongs to.
        -index-of: actor
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 2
        doc: |
          x, y.
        -quantity: point
      - id: kind
        type: s4
        doc: |
          The kind of data in the map.
      - id: size
        type: s4
        doc: |
          Length of an edge.
      - id: height
        type: f4
        doc: |
          Factor for the heights.
      - id: offset
        type: f4
        repeat: expr
        repeat-expr: 2
        doc: |
          Bias along x, y.
      - id: dimensions
        type: s4
        repeat: expr
        repeat-expr: 2
        doc: |
          Samples along x, y.
  material:
    doc: |
      A material.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
        -name: material
      - id: texture_index
        type: s4
        doc: |
          Skin slot; usually the material's own index.
      - id: poly_flags
        type: poly_flags
        doc: |
          How its triangles are drawn.
      - id: aux_material
        type: s4
        doc: |
          Reserved.
      - id: aux_flags
        type: aux_flags
        doc: |
          The origin of the skin slot.
      - id: lod_bias
        type: s4
        doc: |
          Bias for levels of detail, from a tag `lodbiasNN` in the name; 3ds Max writes 5 by default.
      - id: lod_style
        type: s4
        doc: |
          Style for levels of detail, from a tag `lodstyleNN` in the name.
  morph_delta:
    doc: |
      A point that a morph target moves.
    seq:
      - id: position_delta
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Offset of the position x, y, z; not mirrored in y as the points are.
        -quantity: length
      - id: normal_delta
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Offset of the normal.
      - id: point_index
        type: s4
        doc: |
          Index into the points.
        -index-of: point
  morph_info:
    doc: |
      The name of a morph target and the number of points it moves.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
      - id: num_vertices
        type: s4
        doc: |
          The number of its [deltas](MorphDelta).
  morph_target:
    doc: |
      A wedge that a morph target moves.
    seq:
      - id: wedge_index
        type: s4
        doc: |
          Index into the wedges.
        -index-of: wedge
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z.
        -quantity: point
  packed_wedge:
    doc: |
      A point with a texture coordinate, without padding.
    seq:
      - id: point_index
        type: u4
        doc: |
          Index into the points.
        -index-of: point
      - id: u
        type: f4
        doc: |
          Horizontal texture coordinate.
      - id: v
        type: f4
        doc: |
          Vertical texture coordinate; grows downwards from the top of the image.
      - id: material_index
        type: u1
        doc: |
          Index of the material.
  physics_body:
    doc: |
      A body of the physics engine.
    seq:
      - id: bone_name
        size: 64
        terminator: 0
        doc: |
          Name of the bone.
        -name-of: bone
      - id: kind
        type: u1
        doc: |
          The kind of shape.
      - id: offset
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation relative to the bone.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Rotation relative to the bone.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Extent along x, y, z.
        -quantity: length
  poly_flags:
    doc: |
      How the triangles of a material are drawn.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      triangle_type:
        value: '(raw >> 0) & 0xf'
        doc: |
          0 normal, 1 two-sided, 2 translucent, 3 masked, 4 modulated, 8 placeholder.
      unlit:
        value: '(raw & 0x10) != 0'
        doc: |
          Not lit.
      flat:
        value: '(raw & 0x20) != 0'
        doc: |
          Flat; in later engines alpha for each pixel.
      environment:
        value: '(raw & 0x40) != 0'
        doc: |
          Environment mapped.
      no_smoothing:
        value: '(raw & 0x80) != 0'
        doc: |
          Not smoothed.
  position_key:
    doc: |
      A position at a time.
    seq:
      - id: time
        type: f4
        doc: |
          The time, in an undocumented unit.
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z.
        -quantity: point
  records:
    doc: |
      The records of a chunk. A known id with an unknown record size is read as bytes.
    params:
      - id: id
        type: str
      - id: data_size
        type: s4
      - id: data_count
        type: s4
    seq:
      - id: points
        type: f4_x3
        repeat: expr
        repeat-expr: data_count
        if: 'id == "PNTS0000" and data_size == 12'
        doc: |
          Positions x, y, z in model units.
        -axis: point
        -quantity: point
      - id: wedges
        type: wedge
        repeat: expr
        repeat-expr: data_count
        if: '(id == "VTXW0000" or id == "VTXW3200") and data_size == 16'
        doc: |
          Points with texture coordinates.
        -axis: wedge
      - id: packed_wedges
        type: packed_wedge
        repeat: expr
        repeat-expr: data_count
        if: '(id == "VTXW0000" or id == "VTXW3200") and data_size == 13'
        doc: |
          Points with texture coordinates, without padding; written by one extractor.
        -axis: wedge
      - id: faces
        type: face
        repeat: expr
        repeat-expr: data_count
        if: 'id == "FACE0000" and data_size == 12'
        doc: |
          Triangles over at most 65,536 wedges.
      - id: faces32
        type: face32
        repeat: expr
        repeat-expr: data_count
        if: 'id == "FACE3200" and data_size == 18'
        doc: |
          Triangles over more than 65,536 wedges.
      - id: materials
        type: material
        repeat: expr
        repeat-expr: data_count
        if: 'id == "MATT0000" and data_size == 88'
        doc: |
          Materials.
        -axis: material
      - id: short_materials
        type: short_material
        repeat: expr
        repeat-expr: data_count
        if: 'id == "MATT0000" and data_size == 84'
        doc: |
          Materials without auxiliary flags; written by one extractor.
        -axis: material
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: data_count
        if: '(id == "REFSKELT" or id == "REFSKEL0" or id == "BONENAMES") and data_size == 120'
        doc: |
          The skeleton.
        -axis: bone
      - id: weights
        type: weight
        repeat: expr
        repeat-expr: data_count
        if: '(id == "RAWWEIGHTS" or id == "RAWW0000") and data_size == 12'
        doc: |
          Influences of bones on points.
      - id: vertex_colors
        type: vertex_color
        repeat: expr
        repeat-expr: data_count
        if: 'id == "VERTEXCOLOR" and data_size == 4'
        doc: |
          A colour for each wedge.
      - id: extra_uvs
        type: f4_x2
        repeat: expr
        repeat-expr: data_count
        if: '(id.length >= 7 and id.substring(0, 7) == "EXTRAUV") and data_size == 8'
        doc: |
          Additional texture coordinates u, v for each wedge; a chunk for each channel, some writers give all the same id.
      - id: normals
        type: f4_x3
        repeat: expr
        repeat-expr: data_count
        if: 'id == "VTXNORMS" and data_size == 12'
        doc: |
          A normal for each point.
      - id: tangents
        type: f4_x4
        repeat: expr
        repeat-expr: data_count
        if: 'id == "VTXTANGS" and data_size == 16'
        doc: |
          A tangent x, y, z and the sign of the binormal, for each point.
      - id: morph_infos
        type: morph_info
        repeat: expr
        repeat-expr: data_count
        if: 'id == "MRPHINFO" and data_size == 68'
        doc: |
          Names and lengths of morph targets.
      - id: morph_deltas
        type: morph_delta
        repeat: expr
        repeat-expr: data_count
        if: 'id == "MRPHDATA" and data_size == 28'
        doc: |
          Offsets of points: all of the first morph target, then all of the next.
      - id: sockets
        type: socket
        repeat: expr
        repeat-expr: data_count
        if: 'id == "SKELSOCK" and data_size == 164'
        doc: |
          Attachment points on bones.
      - id: sequences
        type: sequence
        repeat: expr
        repeat-expr: data_count
        if: 'id == "ANIMINFO" and data_size == 168'
        doc: |
          Animations.
      - id: keys
        type: key
        repeat: expr
        repeat-expr: data_count
        if: 'id == "ANIMKEYS" and data_size == 32'
        doc: |
          Position and rotation: by sequence, then by frame, then by bone.
      - id: scale_keys
        type: scale_key
        repeat: expr
        repeat-expr: data_count
        if: 'id == "SCALEKEYS" and data_size == 16'
        doc: |
          Scale: none, one for each key, or one for each key of the sequences whose flag is set.
      - id: track_flags
        type: track_flags
        repeat: expr
        repeat-expr: data_count
        if: 'id == "ANIMFLAGS" and data_size == 1'
        doc: |
          The omitted parts of each bone's track in each sequence; written by the oldest builds of UE Viewer.
      - id: morph_targets
        type: morph_target
        repeat: expr
        repeat-expr: data_count
        if: '(id.length >= 11 and id.substring(0, 11) == "MORPHTARGET") and data_size == 16'
        doc: |
          Wedges that a morph target moves; a chunk for each target.
      - id: morph_names
        size: 64
        terminator: 0
        repeat: expr
        repeat-expr: data_count
        if: 'id == "MORPHNAMES" and data_size == 64'
        doc: |
          Names of morph targets.
      - id: physics_bodies
        type: physics_body
        repeat: expr
        repeat-expr: data_count
        if: 'id == "PHYSICS0" and data_size == 101'
        doc: |
          Bodies of the physics engine.
      - id: shape_elements
        type: shape_element
        repeat: expr
        repeat-expr: data_count
        if: 'id == "SHAPEELEMS" and data_size == 108'
        doc: |
          Collision shapes.
      - id: sparse_sequences
        type: sparse_sequence
        repeat: expr
        repeat-expr: data_count
        if: 'id == "SEQUENCES" and data_size == 72'
        doc: |
          Sequences whose keys have times of their own.
      - id: sparse_sequences68
        type: sparse_sequence68
        repeat: expr
        repeat-expr: data_count
        if: 'id == "SEQUENCES" and data_size == 68'
        doc: |
          Such sequences in an earlier revision.
      - id: position_track
        type: position_key
        repeat: expr
        repeat-expr: data_count
        if: '(id.length >= 8 and id.substring(0, 8) == "POSTRACK") and data_size == 16'
        doc: |
          Positions of one bone in one sequence.
      - id: rotation_track
        type: rotation_key
        repeat: expr
        repeat-expr: data_count
        if: '(id.length >= 8 and id.substring(0, 8) == "ROTTRACK") and data_size == 20'
        doc: |
          Rotations of one bone in one sequence.
      - id: world_actors
        type: world_actor
        repeat: expr
        repeat-expr: data_count
        if: 'id == "WORLDACTORS" and data_size == 368'
        doc: |
          Objects placed in a world.
        -axis: actor
      - id: instance_materials
        type: instance_material
        repeat: expr
        repeat-expr: data_count
        if: 'id == "INSTMATERIAL" and data_size == 72'
        doc: |
          Materials that an actor has instead of those of its asset.
      - id: landscapes
        type: landscape
        repeat: expr
        repeat-expr: data_count
        if: 'id == "LANDSCAPE" and data_size == 296'
        doc: |
          Tiles of a landscape.
      - id: curves
        type: 'curve((data_size - 128) / 4)'
        repeat: expr
        repeat-expr: data_count
        if: '(id.length >= 4 and id.substring(id.length - 4, id.length) == ":CUR") and data_size >= 128 and data_size % 4 == 0'
        doc: |
          Blend curves of a sequence; a chunk for each sequence, in their order.
      - id: raw
        size: 'data_size * data_count'
        if: 'not (id == "PNTS0000" and data_size == 12 or (id == "VTXW0000" or id == "VTXW3200") and data_size == 16 or (id == "VTXW0000" or id == "VTXW3200") and data_size == 13 or id == "FACE0000" and data_size == 12 or id == "FACE3200" and data_size == 18 or id == "MATT0000" and data_size == 88 or id == "MATT0000" and data_size == 84 or (id == "REFSKELT" or id == "REFSKEL0" or id == "BONENAMES") and data_size == 120 or (id == "RAWWEIGHTS" or id == "RAWW0000") and data_size == 12 or id == "VERTEXCOLOR" and data_size == 4 or (id.length >= 7 and id.substring(0, 7) == "EXTRAUV") and data_size == 8 or id == "VTXNORMS" and data_size == 12 or id == "VTXTANGS" and data_size == 16 or id == "MRPHINFO" and data_size == 68 or id == "MRPHDATA" and data_size == 28 or id == "SKELSOCK" and data_size == 164 or id == "ANIMINFO" and data_size == 168 or id == "ANIMKEYS" and data_size == 32 or id == "SCALEKEYS" and data_size == 16 or id == "ANIMFLAGS" and data_size == 1 or (id.length >= 11 and id.substring(0, 11) == "MORPHTARGET") and data_size == 16 or id == "MORPHNAMES" and data_size == 64 or id == "PHYSICS0" and data_size == 101 or id == "SHAPEELEMS" and data_size == 108 or id == "SEQUENCES" and data_size == 72 or id == "SEQUENCES" and data_size == 68 or (id.length >= 8 and id.substring(0, 8) == "POSTRACK") and data_size == 16 or (id.length >= 8 and id.substring(0, 8) == "ROTTRACK") and data_size == 20 or id == "WORLDACTORS" and data_size == 368 or id == "INSTMATERIAL" and data_size == 72 or id == "LANDSCAPE" and data_size == 296 or (id.length >= 4 and id.substring(id.length - 4, id.length) == ":CUR") and data_size >= 128 and data_size % 4 == 0)'
        doc: |
          Everything else, as bytes.
  rotation_key:
    doc: |
      A rotation at a time.
    seq:
      - id: time
        type: f4
        doc: |
          The time, in an undocumented unit.
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          A quaternion x, y, z, w.
  scale_key:
    doc: |
      The scale of a bone in a frame.
    seq:
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Factors along x, y, z.
      - id: time
        type: f4
        doc: |
          As in `Key`.
  sequence:
    doc: |
      An animation: a range of frames among the keys.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
        -name: clip
      - id: group
        size: 64
        terminator: 0
        doc: |
          The group; the text `None` in all real files.
      - id: total_bones
        type: s4
        doc: |
          Bones in each frame.
      - id: scale_include
        type: s4
        doc: |
          Since 2003: 1 if the sequence has scale keys. Not reliable in either direction.
      - id: key_compression_style
        type: s4
        doc: |
          Unused.
      - id: key_quotum
        type: s4
        doc: |
          The number of keys: bones times frames.
      - id: key_reduction
        type: f4
        doc: |
          Unused; 1 or 0.
      - id: track_time
        type: f4
        doc: |
          Duration in frames; one writer states seconds.
      - id: rate
        type: f4
        doc: |
          Frames per second, often fractional.
      - id: start_bone
        type: s4
        doc: |
          Unused.
      - id: first_raw_frame
        type: s4
        doc: |
          The index of the first frame: the sum of the frames of all previous sequences. One writer stated the number of frames.
      - id: num_raw_frames
        type: s4
        doc: |
          The number of frames.
  shape_element:
    doc: |
      A shape for collision.
    seq:
      - id: bone_name
        size: 64
        terminator: 0
        doc: |
          Name of the bone.
        -name-of: bone
      - id: kind
        type: s4
        doc: |
          The kind of shape.
      - id: center
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Centre relative to the bone.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation relative to the bone: a quaternion x, y, z, w.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Extent along x, y, z.
        -quantity: length
  short_material:
    doc: |
      A material without auxiliary flags.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
        -name: material
      - id: texture_index
        type: s4
        doc: |
          Skin slot; usually the material's own index.
      - id: poly_flags
        type: poly_flags
        doc: |
          How its triangles are drawn.
      - id: aux_material
        type: s4
        doc: |
          Reserved.
      - id: lod_bias
        type: s4
        doc: |
          Bias for levels of detail.
      - id: lod_style
        type: s4
        doc: |
          Style for levels of detail.
  smoothing_groups:
    doc: |
      The smoothing groups of a triangle: edges between triangles of a common group are smooth.
    seq:
      - id: raw
        type: u4
        doc: |
          All bits as one number.
    instances:
      group_1:
        value: '(raw & 0x1) != 0'
        doc: |
          The triangle is in this group.
      group_2:
        value: '(raw & 0x2) != 0'
        doc: |
          The triangle is in this group.
      group_3:
        value: '(raw & 0x4) != 0'
        doc: |
          The triangle is in this group.
      group_4:
        value: '(raw & 0x8) != 0'
        doc: |
          The triangle is in this group.
      group_5:
        value: '(raw & 0x10) != 0'
        doc: |
          The triangle is in this group.
      group_6:
        value: '(raw & 0x20) != 0'
        doc: |
          The triangle is in this group.
      group_7:
        value: '(raw & 0x40) != 0'
        doc: |
          The triangle is in this group.
      group_8:
        value: '(raw & 0x80) != 0'
        doc: |
          The triangle is in this group.
      group_9:
        value: '(raw & 0x100) != 0'
        doc: |
          The triangle is in this group.
      group_10:
        value: '(raw & 0x200) != 0'
        doc: |
          The triangle is in this group.
      group_11:
        value: '(raw & 0x400) != 0'
        doc: |
          The triangle is in this group.
      group_12:
        value: '(raw & 0x800) != 0'
        doc: |
          The triangle is in this group.
      group_13:
        value: '(raw & 0x1000) != 0'
        doc: |
          The triangle is in this group.
      group_14:
        value: '(raw & 0x2000) != 0'
        doc: |
          The triangle is in this group.
      group_15:
        value: '(raw & 0x4000) != 0'
        doc: |
          The triangle is in this group.
      group_16:
        value: '(raw & 0x8000) != 0'
        doc: |
          The triangle is in this group.
      group_17:
        value: '(raw & 0x10000) != 0'
        doc: |
          The triangle is in this group.
      group_18:
        value: '(raw & 0x20000) != 0'
        doc: |
          The triangle is in this group.
      group_19:
        value: '(raw & 0x40000) != 0'
        doc: |
          The triangle is in this group.
      group_20:
        value: '(raw & 0x80000) != 0'
        doc: |
          The triangle is in this group.
      group_21:
        value: '(raw & 0x100000) != 0'
        doc: |
          The triangle is in this group.
      group_22:
        value: '(raw & 0x200000) != 0'
        doc: |
          The triangle is in this group.
      group_23:
        value: '(raw & 0x400000) != 0'
        doc: |
          The triangle is in this group.
      group_24:
        value: '(raw & 0x800000) != 0'
        doc: |
          The triangle is in this group.
      group_25:
        value: '(raw & 0x1000000) != 0'
        doc: |
          The triangle is in this group.
      group_26:
        value: '(raw & 0x2000000) != 0'
        doc: |
          The triangle is in this group.
      group_27:
        value: '(raw & 0x4000000) != 0'
        doc: |
          The triangle is in this group.
      group_28:
        value: '(raw & 0x8000000) != 0'
        doc: |
          The triangle is in this group.
      group_29:
        value: '(raw & 0x10000000) != 0'
        doc: |
          The triangle is in this group.
      group_30:
        value: '(raw & 0x20000000) != 0'
        doc: |
          The triangle is in this group.
      group_31:
        value: '(raw & 0x40000000) != 0'
        doc: |
          The triangle is in this group.
      group_32:
        value: '(raw & 0x80000000) != 0'
        doc: |
          The triangle is in this group.
  socket:
    doc: |
      An attachment point on a bone.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
      - id: bone_name
        size: 64
        terminator: 0
        doc: |
          Name of the bone; empty in static meshes.
        -name-of: bone
      - id: location
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Translation relative to the bone, in model units.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Pitch, yaw, roll in degrees.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Factors along x, y, z.
  sparse_sequence:
    doc: |
      An animation whose keys have times of their own.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
        -name: clip
      - id: rate
        type: f4
        doc: |
          Frames per second.
      - id: additive
        type: s4
        doc: |
          Whether it is an offset to another animation.
  sparse_sequence68:
    doc: |
      A `SparseSequence` in an earlier revision.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
        -name: clip
      - id: rate
        type: f4
        doc: |
          Frames per second.
  track_flags:
    doc: |
      The parts of a bone's track that a sequence omits.
    seq:
      - id: raw
        type: u1
        doc: |
          All bits as one number.
    instances:
      no_translation:
        value: '(raw & 0x1) != 0'
        doc: |
          The track has no translation.
      no_rotation:
        value: '(raw & 0x2) != 0'
        doc: |
          The track has no rotation.
  vertex_color:
    doc: |
      The colour of a wedge.
    seq:
      - id: bytes
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: |
          Four channels in the order of the file.
  wedge:
    doc: |
      A point with a texture coordinate: a corner that triangles share.
    seq:
      - id: point_index_low
        type: u2
        doc: |
          The low half of the index into the points; all of it in the original struct.
        -index-of: point
      - id: point_index_high
        type: u2
        doc: |
          The high half of the index, or padding with memory of the program that wrote the file: see `point_index`.
      - id: u
        type: f4
        doc: |
          Horizontal texture coordinate.
      - id: v
        type: f4
        doc: |
          Vertical texture coordinate; grows downwards from the top of the image.
      - id: material_index
        type: u1
        doc: |
          Index of the material; the faces' own index decides.
      - id: reserved
        type: u1
        doc: |
          Reserved; 0 in real files.
      - id: unknown_0e
        type: u2
        doc: |
          Padding; often memory of the program that wrote the file.
  weight:
    doc: |
      The influence of a bone on a point. Weights are not always sorted, and those of a point need not sum to 1.
    seq:
      - id: weight
        type: f4
        doc: |
          0 to 1.
      - id: point_index
        type: s4
        doc: |
          Index into the points, not the wedges.
        -index-of: point
      - id: bone_index
        type: s4
        doc: |
          Index into the bones.
        -index-of: bone
  world_actor:
    doc: |
      An object placed in a world.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name.
      - id: asset
        size: 256
        terminator: 0
        doc: |
          Path of the mesh.
      - id: parent_index
        type: s4
        doc: |
          Index of the actor it is attached to.
        -index-of: actor
        -none: -1
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          x, y, z.
        -quantity: point
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          A quaternion x, y, z, w.
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Factors along x, y, z.
      - id: flags
        type: s4
        doc: |
          Of unknown meaning.
