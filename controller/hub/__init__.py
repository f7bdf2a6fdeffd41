"""Many tables on one page, over MQTT. Knows no table's insides."""
