exec(open("/tmp/faults-out/item5.py").read().split("files=")[0])
import os, sys

d = Path("/tmp/faults-out/d.zarr")
for f in ("zarr.json", "status/zarr.json", "done/c/0", "status/c/0/0", "status/c/0"):
    shutil.rmtree(d, ignore_errors=True)
    shutil.copytree(w, d)
    g = d / f
    if not g.is_file():
        print(f, "no such")
        continue
    g.unlink()
    os.mkfifo(g)
    p = subprocess.Popen(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            "exec(open('/tmp/faults-out/item5.py').read().split('ref=')[0]); print(sw('/tmp/faults-out/d.zarr').attrs['status'])",
        ],
        stdout=-1,
        stderr=-1,
        text=True,
    )
    try:
        o, e = p.communicate(timeout=25)
        print(f, p.returncode, o.strip(), e.strip()[-200:])
    except subprocess.TimeoutExpired:
        p.kill()
        print(f, "HANGS")
