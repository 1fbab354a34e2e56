# Asks for a sandbox as smolagents does, with Modal's own package: what it sends is what the tests expect.
import modal

app = modal.App.lookup("coldframe", create_if_missing=True)
sandbox = modal.Sandbox.create(
    "jupyter",
    "kernelgateway",
    "--KernelGatewayApp.ip=0.0.0.0",
    "--KernelGatewayApp.port=8888",
    app=app,
    image=modal.Image.debian_slim(python_version="3.11").uv_pip_install("jupyter_kernel_gateway", "ipykernel", "numpy>=2"),
    timeout=300,
    memory=512,
    cpu=0.5,
    encrypted_ports=[8888],
    secrets=[modal.Secret.from_dict({"KG_AUTH_TOKEN": "it"})],
)
sandbox.tunnels()
sandbox.terminate()
