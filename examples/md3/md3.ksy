# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: md3
  title: Quake III model
  file-extension: md3
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A Quake III model: surfaces with one shape for each frame, and named places to attach other models to.

  Bytes that no offset leads to are not in this schema.
seq:
  - id: ident
    contents: [0x49, 0x44, 0x50, 0x33]
    doc: |
      Four bytes, `IDP3`.
  - id: version
    type: s4
    doc: |
      15 in every known file.
  - id: name
    size: 64
    terminator: 0
    doc: |
      The path of the model in the game's folder.
  - id: flags
    type: s4
    doc: |
      Unused.
  - id: num_frames
    type: s4
  - id: num_tags
    type: s4
    doc: |
      The number of tags of each frame.
  - id: num_surfaces
    type: s4
  - id: num_skins
    type: s4
    doc: |
      Unused.
  - id: ofs_frames
    type: s4
  - id: ofs_tags
    type: s4
  - id: ofs_surfaces
    type: s4
  - id: ofs_end
    type: s4
  - id: sections
    type: 'sections(num_frames, num_surfaces, ofs_frames, ofs_tags, ofs_surfaces, ofs_end, num_frames * num_tags)'
    doc: |
      What the header places.
types:
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
  frame:
    doc: |
      The bounds of the model in a frame.
    seq:
      - id: min
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The least corner of the box.
      - id: max
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The greatest corner of the box.
      - id: origin
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The centre of the sphere.
      - id: radius
        type: f4
        doc: |
          The radius of the sphere.
      - id: name
        size: 16
        terminator: 0
        doc: |
          The name, often that of the program that wrote the file.
  parts:
    doc: |
      The lists of a surface.
    params:
      - id: num_shaders
        type: s8
      - id: num_tex_coords
        type: s8
      - id: num_triangles
        type: s8
      - id: ofs_triangles
        type: s8
      - id: ofs_shaders
        type: s8
      - id: ofs_tex_coords
        type: s8
      - id: ofs_vertices
        type: s8
      - id: num_vertices
        type: s8
    instances:
      triangles:
        pos: ofs_triangles
        if: 'ofs_triangles != 0'
        type: s4_x3
        repeat: expr
        repeat-expr: num_triangles
        doc: |
          Indices of vertices, three for each triangle, clockwise seen from the front.
        -index-of: vertex
      shaders:
        pos: ofs_shaders
        if: 'ofs_shaders != 0'
        type: shader
        repeat: expr
        repeat-expr: num_shaders
        doc: |
          The images and their effects.
      tex_coords:
        pos: ofs_tex_coords
        if: 'ofs_tex_coords != 0'
        type: f4_x2
        repeat: expr
        repeat-expr: num_tex_coords
        doc: |
          The place of each vertex on the image, from its upper left corner.
        -axis: vertex
      vertices:
        pos: ofs_vertices
        if: 'ofs_vertices != 0'
        type: vertex
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          The vertices of the first frame, then those of the second.
  s4_x3:
    seq:
      - id: items
        type: s4
        repeat: expr
        repeat-expr: 3
  sections:
    doc: |
      The lists of a model.
    params:
      - id: num_frames
        type: s8
      - id: num_surfaces
        type: s8
      - id: ofs_frames
        type: s8
      - id: ofs_tags
        type: s8
      - id: ofs_surfaces
        type: s8
      - id: ofs_end
        type: s8
      - id: num_tags
        type: s8
    instances:
      frames:
        pos: ofs_frames
        if: 'ofs_frames != 0'
        type: frame
        repeat: expr
        repeat-expr: num_frames
        doc: |
          The bounds of each frame.
      tags:
        pos: ofs_tags
        if: 'ofs_tags != 0'
        type: tag
        repeat: expr
        repeat-expr: num_tags
        doc: |
          The tags of the first frame, then those of the second.
      surfaces:
        pos: ofs_surfaces
        if: 'ofs_surfaces != 0'
        type: surface
        repeat: expr
        repeat-expr: num_surfaces
        doc: |
          The meshes.
      end:
        pos: ofs_end
        if: 'ofs_end != 0'
        size: 0
        doc: |
          Where the file ends.
  shader:
    doc: |
      A shader by its name.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The path of the shader or image in the game's folder.
      - id: index
        type: s4
        doc: |
          Used by the game.
  surface:
    doc: |
      A mesh with one list of shaders, and a shape for each frame.
    seq:
      - id: ident
        contents: [0x49, 0x44, 0x50, 0x33]
        doc: |
          Four bytes, `IDP3`.
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name, which files of skins refer to.
      - id: flags
        type: s4
        doc: |
          Unused.
      - id: num_frames
        type: s4
        doc: |
          The number of frames, as in the header of the model.
      - id: num_shaders
        type: s4
      - id: num_vertices
        type: s4
      - id: num_triangles
        type: s4
      - id: ofs_triangles
        type: s4
      - id: ofs_shaders
        type: s4
      - id: ofs_tex_coords
        type: s4
      - id: ofs_vertices
        type: s4
      - id: size
        type: s4
      - id: parts
        size: 'size - 108'
        type: 'parts(num_shaders, num_vertices, num_triangles, ofs_triangles - 108, ofs_shaders - 108, ofs_tex_coords - 108, ofs_vertices - 108, num_frames * num_vertices)'
        doc: |
          What the surface places.
  tag:
    doc: |
      A place to attach another model to: `tag_weapon`.
    seq:
      - id: name
        size: 64
        terminator: 0
        doc: |
          The name, the same in all frames.
      - id: origin
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          The position.
      - id: axes
        type: f4_x3
        repeat: expr
        repeat-expr: 3
        doc: |
          The directions of the axes x, y and z.
  vertex:
    doc: |
      A vertex in one frame.
    seq:
      - id: position
        type: s2
        repeat: expr
        repeat-expr: 3
        doc: |
          The position in 1/64 of a map unit.
      - id: normal
        type: u1
        repeat: expr
        repeat-expr: 2
        doc: |
          The angles of the normal from the Z axis and around it, in 1/256 of a full turn.
