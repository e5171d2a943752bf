"""Wrong answers as people hand them in, one a line: what the check has to say, and the code.

Written without looking into the bank; about half of them after public code and bug reports, the rest made up. The words
before the bar are the name of the mistake, or, after "~", words of what the card says.
"""

from __future__ import annotations

RMS = """
| x.norm(dim=-1, keepdim=True)
| torch.linalg.vector_norm(x, dim=-1, keepdim=True)
| x.pow(2).mean(-1, keepdim=True)
| x.pow(2).mean(-1).sqrt()
| x.pow(2).mean(dim=1, keepdim=True).sqrt()
| x.pow(2).mean().sqrt()
| torch.sqrt(torch.mean(x) ** 2)
| torch.sqrt(torch.mean(torch.abs(x), dim=-1, keepdim=True))
| x.std(-1, keepdim=True)
| x.std(-1, keepdim=True, unbiased=False)
| torch.rsqrt(x.pow(2).mean(-1, keepdim=True))
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True))
| torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
| torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-12)
| torch.sqrt(x.pow(2).mean(-1, keepdim=True)) + 1e-8
| x.pow(2).mean(-1, keepdim=True).clamp(min=1e-6).sqrt()
| x.float().pow(2).mean(-1, keepdim=True).sqrt()
| x.half().pow(2).mean(-1, keepdim=True).sqrt().to(x.dtype)
| x.bfloat16().pow(2).mean(-1, keepdim=True).sqrt().to(x.dtype)
| x.pow(2).sum(-1, keepdim=True).sqrt() / x.shape[-1]
| x.pow(2).sum(-1, keepdim=True).sqrt() / math.sqrt(x.shape[0])
| (x.pow(2).sum(-1, keepdim=True) / x.numel()).sqrt()
| (x.pow(2).sum(-1, keepdim=True) / (x.shape[-1] - 1)).sqrt()
| (x.pow(2).sum(-1, keepdim=True) / (x.shape[-1] + 1)).sqrt()
| x.pow(3).mean(-1, keepdim=True).abs().pow(1 / 3)
| x.pow(4).mean(-1, keepdim=True).sqrt()
| x.pow(4).mean(-1, keepdim=True).pow(0.25)
| x.abs().mean(-1, keepdim=True)
| x.abs().max(-1, keepdim=True).values
| x.pow(2).max(-1, keepdim=True).values.sqrt()
| x.pow(2).median(-1, keepdim=True).values.sqrt()
| x.sqrt().mean(-1, keepdim=True).pow(2)
| x.pow(2).sqrt().mean(-1, keepdim=True)
| torch.exp(x.abs().log().mean(-1, keepdim=True))
| x.pow(2).mean(-1, keepdim=True).sqrt().expand_as(x)
| x.pow(2).mean(-1, keepdim=True).sqrt().detach()
| torch.tensor(x.pow(2).mean(-1, keepdim=True).sqrt().tolist(), dtype=x.dtype)
| float(x.pow(2).mean().sqrt())
| x.pow(2).mean(-1, keepdim=True).sqrt().squeeze()
| x.pow(2).mean(-1).sqrt().unsqueeze(0)
| x.view(x.shape[0], -1).pow(2).mean(-1, keepdim=True).sqrt()
| x.mul_(x).mean(-1, keepdim=True).sqrt()
| x[..., :8].pow(2).mean(-1, keepdim=True).sqrt()
| x[0].pow(2).mean(-1, keepdim=True).sqrt()
| (x - x.mean()).pow(2).mean(-1, keepdim=True).sqrt()
| x.pow(2).mean(-1, keepdim=True).sqrt() * 1.0001
| x.pow(2).mean(-1, keepdim=True).sqrt().clamp(max=100)
| x.pow(2).nanmean(-1, keepdim=True).sqrt() + x.mean(-1, keepdim=True)
"""

RMS_NORM = """
| x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-3) * w
| F.layer_norm(x, w.shape, w, None, eps)
| F.layer_norm(x, w.shape, None, None, eps) * w
| (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * w
| x / (x.var(-1, keepdim=True) + eps).sqrt() * w
| x / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt() * w
| x / (x.std(-1, keepdim=True) + eps) * w
| F.normalize(x, dim=-1) * w
| F.normalize(x, dim=-1, eps=eps) * w
| F.normalize(x, dim=-1, eps=eps) * x.shape[-1] ** 0.5 * w
| F.normalize(x, dim=-1) * x.shape[-1] ** 0.5 * w
| F.rms_norm(x, w.shape, w)
| F.rms_norm(x, w.shape, None, eps)
| F.rms_norm(x, x.shape, None, eps) * w
| F.rms_norm(x * w, w.shape, None, eps)
| F.rms_norm(x, w.shape, 1 + w, eps)
| F.rms_norm(x, w.shape, w, eps ** 2)
| F.rms_norm(x, w.shape, w, eps ** 0.5)
| F.rms_norm(x, w.shape, w, 2 * eps)
| F.rms_norm(x, w.shape, w, eps / x.shape[-1])
| F.rms_norm(x, w.shape, w, eps * x.shape[-1])
| F.rms_norm(x, w.shape, w, max(eps, 1e-5))
| F.rms_norm(x, w.shape, w, min(eps, 1e-5))
| x * (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
| x / torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
| x / (x.pow(2).mean(-1, keepdim=True) + eps) * w
| x / (x.abs().mean(-1, keepdim=True) + eps) * w
| x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps).sqrt() * w
| x / (x.pow(2).mean(-1) + eps).sqrt() * w
| x / (x.pow(2).mean(-1).unsqueeze(0) + eps).sqrt() * w
| x / (x.pow(2).mean(-1)[..., None, :] + eps).sqrt() * w
| x / (x.pow(2).mean(0, keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean(1, keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean(2, keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean(dim=(-2, -1), keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean() + eps).sqrt() * w
| x / (x.pow(2).sum(-1, keepdim=True) + eps).sqrt() * w
| x / ((x.pow(2).sum(-1, keepdim=True) + eps) / x.shape[-1]).sqrt() * w
| x / (x.pow(2).sum(-1, keepdim=True).sqrt() / x.shape[-1] + eps) * w
| x / torch.clamp(x.pow(2).mean(-1, keepdim=True).sqrt(), min=eps) * w
| x / torch.sqrt(torch.clamp(x.pow(2).mean(-1, keepdim=True), min=eps)) * w
| x / torch.maximum(x.pow(2).mean(-1, keepdim=True), torch.tensor(eps)).sqrt() * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) - eps) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) + w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * (1 + w)
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) / w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w ** 2
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.abs()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.softmax(0)
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.sigmoid()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.exp()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.norm()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w[0]
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) @ w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w + x
| x + x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
| x * w * torch.rsqrt((x * w).pow(2).mean(-1, keepdim=True) + eps)
| x * torch.rsqrt((x * w).pow(2).mean(-1, keepdim=True) + eps) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps).detach() * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.detach()
| x.detach() * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
| x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * w
| x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * w.float()
| x.mul_(torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)).mul(w)
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.mul_(1.0).add_(0.1)
| (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w).clamp(-10, 10)
| (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w).clamp(-2, 2)
| x.clamp(-1000, 1000) * torch.rsqrt(x.clamp(-1000, 1000).pow(2).mean(-1, keepdim=True) + eps) * w
| torch.tanh(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)) * w
| x / x.norm(dim=-1, keepdim=True) * w
| x / (x.norm(dim=-1, keepdim=True) + eps) * x.shape[-1] ** 0.5 * w
| x / x.norm(dim=-1, keepdim=True).clamp_min(eps) * x.shape[-1] ** 0.5 * w
| x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + eps) * w
| x.view(-1, x.shape[-1]).div((x.view(-1, x.shape[-1]).pow(2).mean(-1, keepdim=True) + eps).sqrt()).view(x.shape) * w
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w.view(1, 1, -1)
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * torch.zeros(x.shape[-1]).add(w)
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * torch.ones(w.shape)
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt().to(torch.bfloat16).to(x.dtype) * w
| (x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt()).to(torch.float16).to(x.dtype) * w
| (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() / x * w
| w * x / (w.pow(2).mean() + eps).sqrt()
| x / ((x - x.mean()).pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
| (x - x.mean(-1, keepdim=True)) / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt().mean() * w
| x.sort(-1).values / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
| F.dropout(x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w, 0.1)
| F.batch_norm(x.flatten(0, -2), None, None, w, None, True, 0, eps).view(x.shape)
| F.group_norm(x.reshape(-1, x.shape[-1]), 1, w, None, eps).view(x.shape)
"""

BACKWARD = """
| (g * w / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).sum(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).sum(-1, keepdim=True) / (d - 1)) / r, (g * z).reshape(-1, d).sum(0))
| ((g - z * (g * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g - z * (g * z).mean(-1, keepdim=True)) / r * w, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - x * (g * w * x).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| (g * w / r - x * (g * w * x).mean(-1, keepdim=True) / r ** 2, (g * z).reshape(-1, d).sum(0))
| (g * w / r - x * (g * w * x).sum(-1, keepdim=True) / r ** 3, (g * z).reshape(-1, d).sum(0))
| ((g * w + z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - (g * w).mean(-1, keepdim=True) - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)), (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) * r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r ** 2, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, g * z)
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).mean(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).sum(-1))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).sum())
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).sum((0, 1)))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * x).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, g.reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z * w).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r, (g * w).reshape(-1, d).sum(0))
| ((g * z).reshape(-1, d).sum(0), (g * w - z * (g * w * z).mean(-1, keepdim=True)) / r)
| (g * w - z * (g * w * z).mean(-1, keepdim=True)) / r
| ((g * w - z * (g * w * z).mean()) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(0, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * z * (g * w).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w * (1 - z ** 2 / d)) / r, (g * z).reshape(-1, d).sum(0))
| ((g / w - z * (g / w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| (((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r).detach().float(), (g * z).reshape(-1, d).sum(0))
| ((w - z * (w * z).mean(-1, keepdim=True)) / r * g, (g * z).reshape(-1, d).sum(0))
| ((g * w - 2 * z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - 0.5 * z * (g * w * z).mean(-1, keepdim=True)) / r, (g * z).reshape(-1, d).sum(0))
| ((g * w - z * (g * w * z).mean(-1, keepdim=True)) / x.norm(dim=-1, keepdim=True), (g * z).reshape(-1, d).sum(0))
| (torch.zeros_like(x), torch.zeros_like(w))
| (((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r), (g * z).reshape(-1, d).sum(0), None)
| (((g * w - z * (g * w * z).mean(-1, keepdim=True)) / r).clamp(-1, 1), (g * z).reshape(-1, d).sum(0))
"""

LAYER_NORM = """
| norm(x, w, eps) + b
| norm(x - x.mean(), w, eps) + b
| norm(x - x.mean(-1), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w, eps)
| norm(x - x.mean(-1, keepdim=True), w, eps) - b
| norm(x - x.mean(-1, keepdim=True), w, eps) * b
| norm(x - x.mean(-1, keepdim=True), b, eps) + w
| norm(x - x.mean(-1, keepdim=True) + b, w, eps)
| (norm(x - x.mean(-1, keepdim=True), torch.ones_like(w), eps) + b) * w
| norm(x, w, eps) - norm(x, w, eps).mean(-1, keepdim=True) + b
| (norm(x, torch.ones_like(w), eps) - norm(x, torch.ones_like(w), eps).mean(-1, keepdim=True)) * w + b
| norm(x - x.median(-1, keepdim=True).values, w, eps) + b
| norm(x - x.mean(0, keepdim=True), w, eps) + b
| norm(x + x.mean(-1, keepdim=True), w, eps) + b
| norm(x - 2 * x.mean(-1, keepdim=True), w, eps) + b
| norm(x - norm(x, w, eps).mean(-1, keepdim=True), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w, 0) + b
| norm(x - x.mean(-1, keepdim=True), w, 1e-5) + b
| norm(x - x.mean(-1, keepdim=True), w, eps ** 0.5) + b
| norm(x - x.detach().mean(-1, keepdim=True), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w, eps) + b.mean()
| norm(norm(x - x.mean(-1, keepdim=True), torch.ones_like(w), eps), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w + b, eps)
| (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * w + b
| (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * w + b
| F.layer_norm(x, x.shape, None, None, eps) * w + b
| F.layer_norm(x, w.shape, w, b)
| norm(x - x.mean(-1, keepdim=True), w, eps) + b + x
"""

SWISH = """
| z * torch.sigmoid(z)
| F.silu(z)
| F.silu(beta * z)
| beta * F.silu(z)
| beta * z * torch.sigmoid(beta * z)
| torch.sigmoid(beta * z)
| z * torch.sigmoid(-beta * z)
| z * torch.sigmoid(z / beta) if beta else z / 2
| z * torch.tanh(beta * z)
| z * torch.sigmoid(beta + z)
| z * torch.sigmoid(z) ** beta
| z / (1 + torch.exp(-beta * z))
| z * torch.exp(beta * z) / (1 + torch.exp(beta * z))
| z * (1 / (1 + torch.exp(beta * z)))
| z / (1 + torch.exp(-(beta * z).clamp(-12, 12)))
| z / (1 + torch.exp(-(beta * z).clamp(-20, 20)))
| z * torch.sigmoid((beta * z).clamp(min=-10))
| z * torch.sigmoid((beta * z).clamp(-30, 30))
| torch.where(z < -10, torch.zeros_like(z), z * torch.sigmoid(beta * z))
| torch.where(z > 10, z, z * torch.sigmoid(beta * z))
| torch.where(z < -5, torch.zeros_like(z), z * torch.sigmoid(beta * z))
| (z * torch.sigmoid(beta * z)).clamp(min=-0.2785)
| F.hardswish(z)
| z * F.hardsigmoid(beta * z)
| z * F.relu6(beta * z + 3) / 6
| F.gelu(z)
| z * torch.sigmoid(1.702 * z)
| F.relu(z)
| F.mish(z)
| F.softplus(z)
| z * F.softplus(beta * z)
| F.elu(z)
| F.logsigmoid(beta * z) * z
| z * torch.sigmoid(beta * z).detach()
| z.detach() * torch.sigmoid(beta * z)
| z.float() * torch.sigmoid(beta * z.float())
| z * torch.sigmoid(beta * z.float())
| z.mul_(torch.sigmoid(beta * z))
| (z.half() * torch.sigmoid(beta * z.half())).to(z.dtype)
| z * torch.sigmoid(torch.tensor(beta).float() * z).round(decimals=4)
| torch.sigmoid(beta * z) * (1 + beta * z * (1 - torch.sigmoid(beta * z)))
| z * torch.softmax(beta * z, -1) if z.dim() else z / 2
| z * z * torch.sigmoid(beta * z)
| z + torch.sigmoid(beta * z)
| [v * torch.sigmoid(beta * v) for v in z]
| z * 0.5 * (1 + torch.tanh(z * beta))
| z * (0.5 + 0.25 * beta * z)
| z * torch.sigmoid(max(beta, 1.0) * z)
| z * torch.sigmoid(int(beta) * z)
| torch.nan_to_num(z / (1 + torch.exp(-beta * z)))
| F.glu(torch.cat([z, beta * z]), 0) if z.dim() else z
"""

MATCHED = """
| 2 * r / 3
| round(2 * r / 3)
| math.ceil(2 * r / 3)
| 2 * (r // 3)
| 2 * r // 3 + 1
| (2 * r + 2) // 3
| r
| 3 * r // 2
| r * 3 // 4
| 8 * d // 3
| int(8 / 3 * d)
| 2 * r // 3 // 8 * 8
| -(-(2 * r // 3) // 64) * 64
| int(0.66 * r)
| int(0.6667 * r)
| int(2 * r / 3 + 0.5)
| 2 * d * r // 3
| 2 * d * r // (3 * d + 1)
| (2 * d * r + r + d) // (3 * d + 2)
| 4 * r // 9
| int(r * 2 / 3 * 2 / 3)
| (2 * r // 3,)
| str(2 * r // 3)
| 2 * r // 3 - (2 * r % 3 == 0)
| 1 << (2 * r // 3).bit_length() - 1
| (2 * r // 3) & ~1
| int(r / 1.5 - 1e-9)
| None
| print(2 * r // 3)
"""

LLAMA = """
| int(8 * d / 3 * multiplier)
| 4 * d
| int(2 * (4 * d) / 3)
| multiple_of * (int(multiplier * int(8 * d / 3)) // multiple_of)
| multiple_of * round(int(multiplier * int(8 * d / 3)) / multiple_of)
| multiple_of * (int(multiplier * int(8 * d / 3)) // multiple_of + 1)
| multiple_of * ((int(multiplier * int(8 * d / 3)) + multiple_of) // multiple_of)
| int(multiplier * (multiple_of * ((int(8 * d / 3) + multiple_of - 1) // multiple_of)))
| multiple_of * ((int(8 * d / 3) + multiple_of - 1) // multiple_of)
| 256 * ((int(multiplier * int(8 * d / 3)) + 255) // 256)
| multiple_of * ((int(multiplier * 4 * d) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(2 * d / 3)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(4 * d / 3)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(8 * d)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(2 * d)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(math.pi * d)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(2 * int(8 * d / 3) / 3)) + multiple_of - 1) // multiple_of)
| multiple_of * math.ceil(multiplier * 8 * d / 3 / multiple_of)
| (int(multiplier * int(8 * d / 3)) + multiple_of - 1) // multiple_of
| (int(multiplier * int(8 * d / 3)) + multiple_of - 1) & ~(multiple_of - 1)
| (int(multiplier * int(8 * d / 3)) + multiple_of - 1) & -multiple_of
| multiple_of * ((int(multiplier ** 2 * int(8 * d / 3)) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(8 * d / 3 / multiplier) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(8 * d / 3 + multiplier) + multiple_of - 1) // multiple_of)
| multiple_of * ((int(multiplier * int(2.7 * d)) + multiple_of - 1) // multiple_of)
| float(multiple_of * ((int(multiplier * int(8 * d / 3)) + multiple_of - 1) // multiple_of))
| 2 ** math.ceil(math.log2(multiplier * 8 * d / 3))
| d * round(multiplier * 8 / 3)
| multiple_of * ((int(multiplier * int(8 * d / 3)) + multiple_of - 1) / multiple_of)
| max(multiple_of, int(multiplier * int(8 * d / 3)))
| {4096: 11008, 5120: 13824, 6656: 17920, 8192: 22016}.get(d, 4 * d)
"""

GLU = """
| (F.linear(x, g) * F.linear(x, u)).sigmoid() @ d.T
| F.linear(act(F.linear(x, g)) * act(F.linear(x, u)), d)
| F.linear(F.linear(x, g) * act(F.linear(x, u)), d)
| F.linear(act(F.linear(x, g) * F.linear(x, u)), d)
| F.linear(act(F.linear(x, g)) + F.linear(x, u), d)
| F.linear(act(F.linear(x, u)), d)
| F.linear(act(F.linear(x, g)), d)
| act(F.linear(F.linear(x, g) * F.linear(x, u), d))
| F.linear(F.silu(F.linear(x, g)) * F.linear(x, u), d)
| F.linear(F.gelu(F.linear(x, g)) * F.linear(x, u), d)
| F.linear(F.linear(x, g) * F.linear(x, u), d)
| F.linear(acts(swiglu=torch.sigmoid)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(swiglu=F.gelu)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(glu=F.silu)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(glu=torch.tanh)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(bilinear=torch.sigmoid)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(bilinear=torch.tanh)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(reglu=F.leaky_relu)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(reglu=F.gelu)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(reglu=lambda t: F.relu(t) ** 2)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(geglu=lambda t: t * torch.sigmoid(1.702 * t))[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(geglu=lambda t: t * torch.sigmoid(1.6 * t))[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(geglu=lambda t: torch.where(t < -3, 0 * t, F.gelu(t)))[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(swiglu=lambda t: t * torch.sigmoid(t.clamp(-12, 12)))[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(swiglu=lambda t: t / (1 + torch.exp(-t)))[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(swiglu=F.hardswish)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(swiglu=lambda t: F.silu(1.702 * t) / 1.702)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(glu=F.hardsigmoid)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.glu(torch.cat([F.linear(x, g), F.linear(x, u)], -1)) @ d.T if kind == "glu" else right(x, g, u, d, kind)
| F.linear(act(F.linear(x, g)) * F.linear(x, u), u.T)
| F.linear(act(F.linear(x, u)) * F.linear(x, g), d)
| F.linear(act(F.linear(x, g)) * F.linear(x, g), d)
| (act(x @ g) * (x @ u)) @ d
| F.linear(act(F.linear(x, g)) * F.linear(x, u), d) + x
| F.linear(act(F.linear(x, g)) * F.linear(x, u).detach(), d)
| F.linear(act(F.linear(x, g)).detach() * F.linear(x, u), d)
| act(F.linear(x, g)) * F.linear(x, u)
| F.linear(F.dropout(act(F.linear(x, g)) * F.linear(x, u), 0.1), d)
| F.linear((act(F.linear(x, g)) * F.linear(x, u)).clamp(-100, 100), d)
| F.linear(act(F.linear(x, g)).clamp(max=7) * F.linear(x, u), d)
"""

SWIGLU = """
| down(up(x) * F.silu(up(x)))
| down(gate(x) * F.silu(gate(x)))
| down(F.silu(gate(x) * up(x)))
| down(gate(x) * F.silu(up(x)))
| down(F.silu(gate(x)) * F.silu(up(x)))
| down(F.silu(gate(x)) + up(x))
| down(F.silu(gate(x)) - up(x))
| down(F.silu(up(x)))
| down(F.silu(gate(x)))
| F.silu(down(gate(x) * up(x)))
| down(torch.sigmoid(gate(x)) * up(x))
| down(F.gelu(gate(x)) * up(x))
| down(F.relu(gate(x)) * up(x))
| down(F.mish(gate(x)) * up(x))
| down(torch.tanh(gate(x)) * up(x))
| down(gate(x) * up(x))
| down(gate(x).softmax(-1) * up(x))
| down(F.silu(gate(x)) * up(x) * torch.sigmoid(gate(x)))
| down(F.silu(1.702 * gate(x)) / 1.702 * up(x))
| down(F.silu(gate(x)) * (up(x) + 1))
| down(F.silu(gate(x).clamp(max=7)) * up(x))
| down(F.silu(gate(x)) * up(x).clamp(-7, 7))
| down(F.silu(gate(x).clamp(-12, 12)) * up(x))
| down(gate(x) * torch.sigmoid(gate(x).clamp(-12, 12)) * up(x))
| down(gate(x) / (1 + torch.exp(-gate(x))) * up(x))
| down(torch.where(gate(x) < -10, 0 * gate(x), F.silu(gate(x))) * up(x))
| down(F.silu(gate(x)) * up(x)) + x
| F.layer_norm(down(F.silu(gate(x)) * up(x)), x.shape[-1:])
| down(F.layer_norm(F.silu(gate(x)) * up(x), (up.weight.shape[0],)))
| down(F.dropout(F.silu(gate(x)) * up(x), 0.1))
| down(F.silu(gate(x).detach()) * up(x))
| down(F.silu(gate(x)) * up(x).detach())
| down(F.silu(gate(x)) * up(x)).detach()
| F.silu(gate(x)) * up(x)
| down(F.silu(gate(x)) * up(x)).sum(0)
| down((F.silu(gate(x)) * up(x)).mean(-2, keepdim=True)).expand_as(x)
| down(torch.cumsum(F.silu(gate(x)) * up(x), 0))
| down(F.silu(gate(x)) @ up(x).transpose(-1, -2) @ up(x)) if x.dim() > 1 else x
| down(F.silu(gate(x)) * up(x)).to(torch.float32)
| down(F.silu(gate(x.view(-1, x.shape[-1]))) * up(x.view(-1, x.shape[-1]))).view(x.shape)
| down(F.glu(torch.cat([gate(x), up(x)], -1)))
| down(F.silu(gate(F.normalize(x, dim=-1))) * up(x))
| down(F.hardswish(gate(x)) * up(x))
| down(F.silu(gate(x)) * up(gate(x))) if x.shape[-1] == gate.weight.shape[0] else down(F.silu(gate(x)))
| print(down(F.silu(gate(x)) * up(x)))
"""

FUSED = """
| down(F.silu(j(x)[..., f:]) * j(x)[..., :f])
| down(j(x)[..., :f] * F.silu(j(x)[..., f:]))
| down(F.silu(j(x)[..., ::2]) * j(x)[..., 1::2])
| down(F.silu(j(x).view(*x.shape[:-1], f, 2)[..., 0]) * j(x).view(*x.shape[:-1], f, 2)[..., 1])
| down(F.glu(j(x)))
| down(F.silu(F.glu(j(x))))
| down(F.silu(j(x)[..., :f] * j(x)[..., f:]))
| down(torch.sigmoid(j(x)[..., :f]) * j(x)[..., f:])
| down(F.silu(j(x)[..., :f]) + j(x)[..., f:])
| down(F.silu(j(x)).chunk(2, -1)[0] * F.silu(j(x)).chunk(2, -1)[1])
| down(F.silu(j(x)[..., :f]) * j(x)[..., :f])
| down(F.silu(j(x))[..., :f])
| down(F.silu(j(x).chunk(2, 0)[0]) * j(x).chunk(2, 0)[-1])
| down(F.gelu(j(x)[..., :f]) * j(x)[..., f:])
| down(F.silu(j(x)[..., :f]) * j(x)[..., f:]) + x
"""

BUGS = """
1 | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + eps ** 2) * w
1 | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + 1e-12) * w
1 | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5).clamp(min=eps) * w
1 | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + eps ** 0.5) * w
1 | x / ((x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5) + eps).sqrt() * w
1 | x / (x.norm(dim=-1, keepdim=True) ** 2 + eps).sqrt() * x.shape[-1] ** 0.5 * w
2 | x * torch.rsqrt(x.square().mean(dim=(-2, -1), keepdim=True) + eps) * w
2 | x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + eps) * w
2 | x * torch.rsqrt(x.square().mean(dim=2, keepdim=True) + eps) * w
2 | x * torch.rsqrt(x.square().cumsum(-2).mean(-1, keepdim=True) + eps) * w
2 | x * torch.rsqrt(x.square().sum(dim=-1, keepdim=True) + eps) * w
2 | x * torch.rsqrt(x.square().mean(dim=-1) + eps) * w
3 | x.float() * torch.rsqrt(x.float().square().mean(dim=-1, keepdim=True) + eps) * w
3 | (x.bfloat16() * torch.rsqrt(x.bfloat16().square().mean(dim=-1, keepdim=True) + eps)).to(x.dtype) * w
3 | x * torch.rsqrt(x.square().clamp(max=65504).mean(dim=-1, keepdim=True) + eps) * w
3 | x.clamp(-250, 250) * torch.rsqrt(x.clamp(-250, 250).square().mean(dim=-1, keepdim=True) + eps) * w
3 | torch.nan_to_num(x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)) * w
3 | x / 16 * torch.rsqrt((x / 16).square().mean(dim=-1, keepdim=True) + eps) * w
4 | norm(x, w, eps) + sub(norm(x, w, eps))
4 | sub(norm(x, w, eps))
4 | x + sub(x)
4 | norm(x + sub(x), w, eps)
4 | x + norm(sub(x), w, eps)
4 | x.add_(sub(norm(x, w, eps)))
5 | F.linear(F.silu(F.linear(x, w).chunk(2, 0)[0]) * F.linear(x, w).chunk(2, 0)[-1], eps)
5 | F.linear(F.glu(F.linear(x, w)), eps)
5 | F.linear(F.silu(F.linear(x, w)[..., ::2]) * F.linear(x, w)[..., 1::2], eps)
5 | F.linear(F.silu(F.linear(x, w.flip(0)).chunk(2, -1)[0]) * F.linear(x, w.flip(0)).chunk(2, -1)[1], eps)
6 | 0.02 / math.sqrt(2 * w) if x.endswith(("w3.weight", "w2.weight", "wo.weight")) else 0.02
6 | 0.02 / math.sqrt(2 * w) if x.endswith(("w1.weight", "wo.weight")) else 0.02
6 | 0.02 / math.sqrt(w) if x.endswith(("w2.weight", "wo.weight")) else 0.02
6 | 0.02 / math.sqrt(2 * w) if x.endswith("w2.weight") else 0.02
6 | 0.02 / math.sqrt(2 * w) if "w2" in x or "o" in x else 0.02
6 | 0.02 / (2 * w) if x.endswith(("w2.weight", "wo.weight")) else 0.02
6 | 0.02 * math.sqrt(2 * w) if x.endswith(("w2.weight", "wo.weight")) else 0.02
"""

MODULE = """
| nn.Parameter(torch.ones(d)) ; wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * w
| nn.Parameter(torch.ones(d)) ; (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * w).type_as(x)
| nn.Parameter(torch.ones(d)) ; (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (x * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps).to(x.dtype) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(x.pow(2).mean(-1, keepdim=True).float() + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w).half().to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, True) + eps) * w).bfloat16().to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide / (wide.pow(2).mean(-1, keepdim=True).sqrt() + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide / (wide.std(-1, keepdim=True) + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; F.rms_norm(x, w.shape, w)
| nn.Parameter(torch.ones(d)) ; F.rms_norm(wide, w.shape, w, 1e-5).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; F.layer_norm(wide, w.shape, w, None, eps).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * (1 + w)).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w.detach()).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps).detach() * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w.data).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide.mul_(torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean((-2, -1), keepdim=True) + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide * torch.rsqrt(wide.pow(2).mean(1, keepdim=True) + eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; F.rms_norm(wide.clamp(-256, 256), w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide / (wide.norm(dim=-1, keepdim=True) + eps) * w.numel() ** 0.5 * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (F.normalize(wide, dim=-1, eps=eps) * w.numel() ** 0.5 * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; (wide / (wide.pow(2).mean(-1, keepdim=True).sqrt() ** 2 + eps).sqrt() * w).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; F.dropout(F.rms_norm(wide, w.shape, w, eps), 0.1, self.training).to(x.dtype)
| nn.Parameter(torch.ones(d)) ; x
| nn.Parameter(torch.ones(d)) ; print(F.rms_norm(wide, w.shape, w, eps))
| nn.Parameter(torch.ones(d)) ; F.rms_norm(wide, w.shape, w, eps).to(torch.get_default_dtype())
| nn.Parameter(torch.ones(d)) ; torch.zeros(x.shape).add(F.rms_norm(wide, w.shape, w, eps).float()).to(x.dtype)
| nn.Parameter(torch.zeros(d)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.zeros(d)) ; F.rms_norm(wide, w.shape, 1 + w, eps).to(x.dtype)
| nn.Parameter(torch.randn(d)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.empty(d).uniform_(0.9, 1.1)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.ones(1)) ; F.rms_norm(wide, x.shape[-1:], None, eps).mul(w).to(x.dtype)
| nn.Parameter(torch.ones(1, d)) ; (F.rms_norm(wide, x.shape[-1:], None, eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d, d)) ; (F.rms_norm(wide, x.shape[-1:], None, eps) @ w).to(x.dtype)
| nn.Parameter(torch.ones(d)).float().clone() ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| torch.ones(d, requires_grad=True) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.ones(d), requires_grad=False) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.full((d,), 0.5)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
"""
