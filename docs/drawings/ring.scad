// The ring below a pocket, as ring.svg draws it. Print four: black, 30 % filled, flange on the bed, no support.
// It stands as it hangs upside down: z = 0 is the board's underside.
include <measures.scad>
$fn = 96;
inner = ring_bore / 2;
outer = inner + ring_wall;

module hole(angle, depth, diameter) {
  // From outside to the window, then the window into the bore.
  translate([0, 0, depth - ring_board]) rotate([0, 90, angle]) {
    translate([0, 0, inner + ring_window_deep]) cylinder(d = diameter, h = ring_wall);
    translate([0, 0, inner - 1]) cylinder(d = ring_window, h = ring_wall, $fn = 24);
  }
}

difference() {
  union() {
    cylinder(r = outer, h = ring_height);
    cylinder(r = outer + ring_flange_reach, h = ring_flange);
  }
  translate([0, 0, -1]) cylinder(r = inner, h = ring_height + 2);
  hole(180, ring_upper_beam, ring_emitter_hole);
  hole(0, ring_upper_beam, ring_receiver_hole);
  hole(270, ring_lower_beam, ring_emitter_hole);
  hole(90, ring_lower_beam, ring_receiver_hole);
  for (angle = ring_screw_angles) rotate(angle)
    translate([outer + ring_flange_reach / 2, 0, -1]) cylinder(d = ring_screw, h = ring_flange + 2, $fn = 24);
  // The net's cord.
  translate([0, 0, ring_height - 3]) rotate_extrude() translate([outer, 0]) circle(r = 1, $fn = 24);
}
