SELECT max(effect_no) FROM effect
