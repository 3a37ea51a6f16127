// Prints where libcal3d moves the vertices of a model: for each animation and each of five times, a line with the
// index of the animation and the time, then a line for each corner of a triangle.
#include <cal3d/cal3d.h>

#include <cstdio>
#include <string>
#include <vector>

static bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int main(int count, char **files) {
  CalCoreModel core("model");
  std::vector<int> meshes, animations;
  for (int at = 1; at < count; at++) {
    std::string file = files[at];
    int id = 0;
    if (ends_with(file, "sf")) id = core.loadCoreSkeleton(file) ? 0 : -1;
    else if (ends_with(file, "mf")) meshes.push_back(id = core.loadCoreMesh(file));
    else if (ends_with(file, "af")) animations.push_back(id = core.loadCoreAnimation(file));
    else if (ends_with(file, "rf")) id = core.loadCoreMaterial(file);
    if (id < 0) {
      fprintf(stderr, "%s: %s\n", file.c_str(), CalError::getLastErrorText().c_str());
      return 1;
    }
  }
  for (size_t clip = 0; clip < animations.size(); clip++) {
    for (int step = 0; step < 5; step++) {
      CalModel model(&core);
      for (int mesh : meshes) model.attachMesh(mesh);
      float time = core.getCoreAnimation(animations[clip])->getDuration() * (0.1f + 0.2f * step);
      CalMixer *mixer = static_cast<CalMixer *>(model.getAbstractMixer());
      mixer->blendCycle(animations[clip], 1, 0);
      model.update(0);
      mixer->setAnimationTime(time);
      model.update(0);
      printf("%zu %.9g\n", clip, time);
      for (int mesh : meshes) {
        CalMesh *own = model.getMesh(mesh);
        for (int part = 0; part < own->getSubmeshCount(); part++) {
          CalSubmesh *submesh = own->getSubmesh(part);
          std::vector<float> vertices(3 * submesh->getVertexCount());
          std::vector<CalIndex> corners(3 * submesh->getFaceCount());
          model.getPhysique()->calculateVertices(submesh, vertices.data());
          submesh->getFaces(corners.data());
          for (CalIndex corner : corners)
            printf("%.9g %.9g %.9g\n", vertices[3 * corner], vertices[3 * corner + 1], vertices[3 * corner + 2]);
        }
      }
    }
  }
}
