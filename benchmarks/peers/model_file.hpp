// Reads a flat model file (written by model_file.py, which documents it) into a Pinocchio model.
//
// Nothing of Pinocchio is linked, only its headers are used: -march=native then cannot clash
// with the alignment that the wheel's libraries were built for.
#pragma once

#include <pinocchio/multibody.hpp>

#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

struct JointRow
{
  int parent;
  std::string type;
  std::array<double, 25> values; // axis 3, rotation 9, position 3, mass 1, com 3, inertia 6
};

// 2e-16 -> 0 and 1 - 2e-16 -> 1: rounding dust of roll-pitch-yaw angles such as 1.5708
inline double snapped(double x)
{
  for (const double target : {0.0, 1.0, -1.0})
    if (std::fabs(x - target) < 1e-9) return target;
  return x;
}

inline std::istream & operator>>(std::istream & in, JointRow & row)
{
  in >> row.parent >> row.type;
  for (double & value : row.values) in >> value;
  return in;
}

inline pinocchio::SE3 placement(const JointRow & row)
{
  const auto & x = row.values;
  Eigen::Matrix3d rotation;
  rotation << x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11];
  return {rotation, Eigen::Vector3d(x[12], x[13], x[14])};
}

inline pinocchio::Inertia inertia(const JointRow & row)
{
  const auto & x = row.values;
  Eigen::Matrix3d about_com; // file order: xx xy yy xz yz zz
  about_com << x[19], x[20], x[22], x[20], x[21], x[23], x[22], x[23], x[24];
  return {x[15], Eigen::Vector3d(x[16], x[17], x[18]), pinocchio::Symmetric3(about_com)};
}

inline pinocchio::JointModel joint_of(const JointRow & row)
{
  using namespace pinocchio;
  const Eigen::Vector3d axis(row.values[0], row.values[1], row.values[2]);
  if (row.type == "RX") return JointModelRX();
  if (row.type == "RY") return JointModelRY();
  if (row.type == "RZ") return JointModelRZ();
  if (row.type == "PX") return JointModelPX();
  if (row.type == "PY") return JointModelPY();
  if (row.type == "PZ") return JointModelPZ();
  if (row.type == "RU") return JointModelRevoluteUnaligned(axis.normalized());
  if (row.type == "PU") return JointModelPrismaticUnaligned(axis.normalized());
  if (row.type == "FF") return JointModelFreeFlyer();
  throw std::runtime_error("joint type '" + row.type + "' is unknown to model_file.hpp");
}

inline pinocchio::Model read_model(const std::string & path, bool snap = false)
{
  std::ifstream file(path);
  int joints;
  Eigen::Vector3d gravity;
  if (!(file >> joints >> gravity[0] >> gravity[1] >> gravity[2]))
    throw std::runtime_error("cannot read the model file " + path);
  pinocchio::Model model;
  model.gravity.linear() = gravity;
  for (int i = 0; i < joints; i++) {
    JointRow row;
    if (!(file >> row)) throw std::runtime_error("truncated model file " + path);
    if (snap)
      for (double & value : row.values) value = snapped(value);
    const auto id = model.addJoint(row.parent, joint_of(row), placement(row), "j" + std::to_string(i));
    model.appendBodyToJoint(id, inertia(row));
  }
  return model;
}
