# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: md2
  title: Quake II model
  file-extension: md2
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A Quake II model: one mesh with a list of poses.

  Bytes that no offset leads to are not in this schema.
seq:
  - id: ident
    contents: [0x49, 0x44, 0x50, 0x32]
    doc: |
      Four bytes, `IDP2`.
  - id: version
    type: s4
    doc: |
      8 in every known file.
  - id: skin_width
    type: s4
    doc: |
      Width of the skin in pixels; texture coordinates refer to it.
  - id: skin_height
    type: s4
    doc: |
      Height of the skin in pixels.
  - id: frame_size
    type: s4
    doc: |
      Bytes of a frame.
  - id: num_skins
    type: s4
  - id: num_vertices
    type: s4
    doc: |
      Vertices of each frame.
  - id: num_tex_coords
    type: s4
  - id: num_triangles
    type: s4
  - id: num_gl_commands
    type: s4
  - id: num_frames
    type: s4
  - id: ofs_skins
    type: s4
  - id: ofs_tex_coords
    type: s4
  - id: ofs_triangles
    type: s4
  - id: ofs_frames
    type: s4
  - id: ofs_gl_commands
    type: s4
  - id: ofs_end
    type: s4
  - id: sections
    type: 'sections(num_skins, num_vertices, num_tex_coords, num_triangles, num_gl_commands, num_frames, frame_size, ofs_skins, ofs_tex_coords, ofs_triangles, ofs_frames, ofs_gl_commands, ofs_end)'
    doc: |
      What the header places.
types:
  frame:
    doc: |
      A pose: the position of every vertex.
    params:
      - id: num_vertices
        type: s4
      - id: frame_size
        type: s4
    seq:
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Map units of one step of a vertex along x, y, z.
      - id: translation
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Position of a vertex of zeros, in map units.
      - id: name
        size: 16
        terminator: 0
        doc: |
          The name: that of the sequence and a number, as in `run3`.
      - id: vertices
        type: vertex
        repeat: expr
        repeat-expr: num_vertices
        doc: |
          One for each vertex of the model.
      - id: padding
        size: 'frame_size - 40 - 4 * num_vertices'
        doc: |
          What the header's size of a frame has beyond its vertices.
  sections:
    doc: |
      The lists of a model.
    params:
      - id: num_skins
        type: s4
      - id: num_vertices
        type: s4
      - id: num_tex_coords
        type: s4
      - id: num_triangles
        type: s4
      - id: num_gl_commands
        type: s4
      - id: num_frames
        type: s4
      - id: frame_size
        type: s4
      - id: ofs_skins
        type: s4
      - id: ofs_tex_coords
        type: s4
      - id: ofs_triangles
        type: s4
      - id: ofs_frames
        type: s4
      - id: ofs_gl_commands
        type: s4
      - id: ofs_end
        type: s4
    instances:
      skins:
        pos: ofs_skins
        type: skin
        repeat: expr
        repeat-expr: num_skins
        doc: |
          Paths of the skins' images, relative to the game's folder.
      tex_coords:
        pos: ofs_tex_coords
        type: tex_coord
        repeat: expr
        repeat-expr: num_tex_coords
        doc: |
          Texture coordinates of the triangles' corners.
      triangles:
        pos: ofs_triangles
        type: triangle
        repeat: expr
        repeat-expr: num_triangles
        doc: |
          The surface.
      frames:
        pos: ofs_frames
        type: 'frame(num_vertices, frame_size)'
        repeat: expr
        repeat-expr: num_frames
        doc: |
          The poses, in the order of the animation.
      gl_commands:
        pos: ofs_gl_commands
        type: s4
        repeat: expr
        repeat-expr: num_gl_commands
        doc: |
          The surface once more, as triangle strips and fans. Each begins with its number of corners, negative for a fan; each
          corner has s and t as floats in image space and the index of a vertex; 0 ends the list.
      end:
        pos: ofs_end
        size: 0
        doc: |
          Where the file ends.
  skin:
    doc: |
      The image of a skin.
    seq:
      - id: path
        size: 64
        terminator: 0
        doc: |
          Path of a PCX image.
  tex_coord:
    doc: |
      A place on the skin.
    seq:
      - id: s
        type: s2
        doc: |
          Pixels from the left.
      - id: t
        type: s2
        doc: |
          Pixels from the top.
  triangle:
    doc: |
      Three corners.
    seq:
      - id: vertices
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices into the vertices of a frame, clockwise seen from the front.
      - id: tex_coords
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: |
          Indices into the texture coordinates.
  vertex:
    doc: |
      A position packed into bytes.
    seq:
      - id: position
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: |
          Steps along x, y, z; multiplied by the frame's scale and added to its translation.
      - id: normal
        type: u1
        doc: |
          Index into Quake's table of 162 normals.
