// A plate for the camera below a tube: two of them clamp the tube, the lower one carries the camera.
include <measures.scad>
$fn = 64;
// As wide as the outermost screws need, and a little lower than half the tube: tightened, the two plates hold it.
saddle = max(mount_holes) + mount_screw + 2 * mount_wall;
top = mount_thickness + mount_tube / 2 - mount_gap / 2;

difference() {
  union() {
    translate([-mount_plate / 2, -mount_plate / 2, 0]) cube([mount_plate, mount_plate, mount_thickness]);
    translate([-mount_plate / 2, -saddle / 2, 0]) cube([mount_plate, saddle, top]);
  }
  translate([-mount_plate, 0, mount_thickness + mount_tube / 2]) rotate([0, 90, 0]) cylinder(d = mount_tube, h = 2 * mount_plate);
  for (square = mount_holes, x = [-1, 1], y = [-1, 1])
    translate([x * square / 2, y * square / 2, -1]) cylinder(d = mount_screw, h = mount_thickness + mount_tube);
  // A small module's screws end below the tube.
  for (x = [-1, 1], y = [-1, 1])
    translate([x * mount_module[0] / 2, y * mount_module[1] / 2, -1]) cylinder(d = mount_module_screw, h = mount_module_deep + 1, $fn = 24);
}
