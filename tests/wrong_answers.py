"""Wrong answers as people hand them in, one a line: the name that the check gives the mistake, and the code.

Written before the bank knew them; about half after public code and bug reports, the rest made up. Where no name stands,
the mistake has none: the card says in words which property is broken. In BUGS a number comes first, that of the bug;
in MODULE what stands before a semicolon is the weight, where it does not start as ones.
"""

from __future__ import annotations

RMS = """
statistic over tokens | x.pow(2).mean(dim=1, keepdim=True).sqrt()
statistic over tokens and features + keepdim forgotten | x.pow(2).mean().sqrt()
| torch.sqrt(torch.mean(x) ** 2)
result not cast back | x.float().pow(2).mean(-1, keepdim=True).sqrt()
| x.half().pow(2).mean(-1, keepdim=True).sqrt().to(x.dtype)
| x.bfloat16().pow(2).mean(-1, keepdim=True).sqrt().to(x.dtype)
| x.pow(2).sum(-1, keepdim=True).sqrt() / math.sqrt(x.shape[0])
| (x.pow(2).sum(-1, keepdim=True) / x.numel()).sqrt()
| (x.pow(2).sum(-1, keepdim=True) / (x.shape[-1] + 1)).sqrt()
| x.abs().clamp(min=1e-30).log().mean(-1, keepdim=True).exp()
calls itself | learner(x)
| x.pow(3).mean(-1, keepdim=True).abs().pow(1 / 3)
| x.pow(4).mean(-1, keepdim=True).sqrt()
| x.pow(4).mean(-1, keepdim=True).pow(0.25)
| x.pow(2).median(-1, keepdim=True).values.sqrt()
| x.sqrt().mean(-1, keepdim=True).pow(2)
| torch.exp(x.abs().log().mean(-1, keepdim=True))
| x.pow(2).mean(-1, keepdim=True).sqrt().expand_as(x)
gradient lost | x.pow(2).mean(-1, keepdim=True).sqrt().detach()
| float(x.pow(2).mean().sqrt())
| x.pow(2).mean(-1).sqrt().unsqueeze(0)
statistic over tokens and features + axis put back on the wrong side | x.view(len(x), -1).pow(2).mean(-1, True).sqrt()
single number used like a row | torch.stack([(row.pow(2).sum() / len(row)).sqrt() for row in x]).unsqueeze(-1)
divided by d outside the root | x.norm(dim=-1, keepdim=True) / x.shape[-1]
input changed in place | x.mul_(x).mean(-1, keepdim=True).sqrt()
| x[..., :8].pow(2).mean(-1, keepdim=True).sqrt()
| x[0].pow(2).mean(-1, keepdim=True).sqrt()
| (x - x.mean()).pow(2).mean(-1, keepdim=True).sqrt()
| x.pow(2).mean(-1, keepdim=True).sqrt() * 1.0001
| x.pow(2).mean(-1, keepdim=True).sqrt().clamp(max=100)
| x.pow(2).nanmean(-1, keepdim=True).sqrt() + x.mean(-1, keepdim=True)
doubled instead of squared | (x * 2).mean(dim=-1, keepdim=True).sqrt()
"""

RMS_NORM = """
eps hard-coded | x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w
LayerNorm instead of RMSNorm + eps outside the root | (x - x.mean(-1, True)) / (x.std(-1).unsqueeze(-1) + eps) * w
eps outside the root + unbiased standard deviation | x / (x.std(-1, keepdim=True) + eps) * w
eps not handed on + sum instead of mean | F.normalize(x, dim=-1) * w
eps as a lower bound + sum instead of mean | F.normalize(x, dim=-1, eps=eps) * w
eps as a lower bound | F.normalize(x, dim=-1, eps=eps) * x.shape[-1] ** 0.5 * w
eps not handed on | F.normalize(x, dim=-1) * x.shape[-1] ** 0.5 * w
weight as an offset from one | F.rms_norm(x, w.shape, 1 + w, eps)
| F.rms_norm(x, w.shape, w, eps ** 0.5)
| F.rms_norm(x, w.shape, w, 2 * eps)
eps added to the sum | F.rms_norm(x, w.shape, w, eps / x.shape[-1])
| F.rms_norm(x, w.shape, w, max(eps, 1e-5))
| F.rms_norm(x, w.shape, w, min(eps, 1e-5))
root of the root plus eps | x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps).sqrt() * w
axis put back on the wrong side | x / (x.pow(2).mean(-1)[..., None, :] + eps).sqrt() * w
statistic over tokens | x / (x.pow(2).mean(0, keepdim=True) + eps).sqrt() * w
axis by its number | x / (x.pow(2).mean(2, keepdim=True) + eps).sqrt() * w
eps outside the root + divided by d outside the root | x / (x.pow(2).sum(-1, True).sqrt() / x.shape[-1] + eps) * w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.softmax(0)
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.sigmoid()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.exp()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w.norm()
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w[0]
dot product with the weight | x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) @ w
| x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w + x
| x + x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
| x.detach() * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
result not cast back | x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * w
input changed in place | x.mul_(torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)).mul(w)
| (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w).clamp(-10, 10)
| (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w).clamp(-2, 2)
| x.clamp(-1000, 1000) * torch.rsqrt(x.clamp(-1000, 1000).pow(2).mean(-1, keepdim=True) + eps) * w
| torch.tanh(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)) * w
eps ignored + sum instead of mean | x / x.norm(dim=-1, keepdim=True) * w
view of a transposed tensor | F.rms_norm(x.view(-1, x.shape[-1]), w.shape, w, eps).view(x.shape)
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w.view(1, 1, -1)
result not cast back + weight never applied | x / (x.pow(2).mean(-1, True) + eps).sqrt() * torch.ones(w.shape)
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt().to(torch.bfloat16).to(x.dtype) * w
| (x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt()).to(torch.float16).to(x.dtype) * w
| (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() / x * w
| x / ((x - x.mean()).pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
| x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt().mean() * w
| x.sort(-1).values / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w
state between calls | F.dropout(x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w, 0.1)
axis that is not there | F.batch_norm(x.flatten(0, -2), None, None, w, None, True, 0, eps).view(x.shape)
axis put back on the wrong side | x / (x.pow(2).mean(-1).unsqueeze(1) + eps).sqrt() * w
axis put back on the wrong side | x / (x.pow(2).mean(-1)[:, None] + eps).sqrt() * w
x left out | torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w
roots added | x / (x.pow(2).mean(-1, keepdim=True).sqrt() + eps ** 0.5) * w
not normalised | x * w
numpy on the way | x / torch.from_numpy((x.detach().numpy() ** 2).mean(-1, keepdims=True) + eps).sqrt() * w
^ where a power was meant | x / ((x ^ 2).mean(-1, keepdim=True) + eps).sqrt() * w
eps hard-coded + largest absolute value | x / x.abs().amax(-1, keepdim=True).clamp(min=1e-9) * w
shapes that do not line up | x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * w[:-1]
| x / (x.amax(-1, keepdim=True) / x.amax(-1, keepdim=True)) * w
"""

MODULE = """
result not cast back | wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w
dtype of the weight returned | (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * w
float64 narrowed to float32 | (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, True) + eps) * w).type_as(x)
rounded twice | (x * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps).to(x.dtype) * w).to(x.dtype)
| (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * w).half().to(x.dtype)
| (wide * torch.rsqrt(wide.pow(2).mean(-1, True) + eps) * w).bfloat16().to(x.dtype)
eps outside the root + unbiased standard deviation | (wide / (wide.std(-1, keepdim=True) + eps) * w).to(x.dtype)
eps not handed on | F.rms_norm(x, w.shape, w)
eps hard-coded | F.rms_norm(wide, w.shape, w, 1e-5).to(x.dtype)
weight as an offset from one | (wide * torch.rsqrt(wide.pow(2).mean(-1, True) + eps) * (1 + w)).to(x.dtype)
input changed in place | (wide.mul_(torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)) * w).to(x.dtype)
statistic over tokens | (wide * torch.rsqrt(wide.pow(2).mean(1, keepdim=True) + eps) * w).to(x.dtype)
| F.rms_norm(wide.clamp(-256, 256), w.shape, w, eps).to(x.dtype)
eps added to the sum | (wide / (wide.norm(dim=-1, keepdim=True) + eps) * w.numel() ** 0.5 * w).to(x.dtype)
eps as a lower bound | (F.normalize(wide, dim=-1, eps=eps) * w.numel() ** 0.5 * w).to(x.dtype)
root squared again | (wide / (wide.pow(2).mean(-1, keepdim=True).sqrt() ** 2 + eps).sqrt() * w).to(x.dtype)
state between calls | F.dropout(F.rms_norm(wide, w.shape, w, eps), 0.1, self.training).to(x.dtype)
printed instead of returned | print(F.rms_norm(wide, w.shape, w, eps))
| nn.Parameter(torch.ones(d), requires_grad=False) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.randn(d)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.empty(d).uniform_(0.9, 1.1)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| nn.Parameter(torch.ones(1)) ; F.rms_norm(wide, x.shape[-1:], None, eps).mul(w).to(x.dtype)
| nn.Parameter(torch.ones(1, d)) ; (F.rms_norm(wide, x.shape[-1:], None, eps) * w).to(x.dtype)
| nn.Parameter(torch.ones(d, d)) ; (F.rms_norm(wide, x.shape[-1:], None, eps) @ w).to(x.dtype)
| nn.Parameter(torch.full((d,), 0.5)) ; F.rms_norm(wide, w.shape, w, eps).to(x.dtype)
| F.rms_norm(wide.clamp(-200, 200) if x.dtype == torch.float16 else wide, w.shape, w, eps).to(x.dtype)
"""

LAYER_NORM = """
mean over tokens and features | norm(x - x.mean(), w, eps) + b
keepdim forgotten at the mean | norm(x - x.mean(-1), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w, eps) * b
| norm(x - x.mean(-1, keepdim=True) + b, w, eps)
| norm(x, w, eps) - norm(x, w, eps).mean(-1, keepdim=True) + b
| norm(x - x.median(-1, keepdim=True).values, w, eps) + b
| norm(x - x.mean(0, keepdim=True), w, eps) + b
| norm(x + x.mean(-1, keepdim=True), w, eps) + b
| norm(x - 2 * x.mean(-1, keepdim=True), w, eps) + b
| norm(x - norm(x, w, eps).mean(-1, keepdim=True), w, eps) + b
eps hard-coded | norm(x - x.mean(-1, keepdim=True), w, 1e-5) + b
| norm(x - x.mean(-1, keepdim=True), w, eps ** 0.5) + b
| norm(x - x.mean(-1, keepdim=True), w, eps) + b.mean()
| norm(norm(x - x.mean(-1, keepdim=True), torch.ones_like(w), eps), w, eps) + b
| norm(x - x.mean(-1, keepdim=True), w + b, eps)
unbiased variance + eps outside the root | (x - x.mean(-1, True)) / (x.std(-1, keepdim=True) + eps) * w + b
mean over tokens and features + statistic over tokens and features | F.layer_norm(x, x.shape, None, None, eps) * w + b
| norm(x - x.mean(-1, keepdim=True), w, eps) + b + x
arguments in another order | norm(x - x.mean(-1, keepdim=True), w, b) + eps
variance as a difference | (x - (m := x.mean(-1, True))) / ((x * x).mean(-1, True) - m * m + eps).sqrt() * w + b
"""

BACKWARD = """
| ((g * w - z * (g * w * z).sum(-1, True) / (d - 1)) / r, gz)
| ((g * w - z * (g * w).mean(-1, True)) / r, gz)
| ((g * w - z * (g * w * z).sum(-1, True) / 8) / r, gz)
| (g * w / r - x * (g * w * x).mean(-1, True) / r ** 2, gz)
LayerNorm's gradient | ((g * w - (g * w).mean(-1, True) - z * (g * w * z).mean(-1, True)) / r, gz)
| ((g * w - z * (g * w * z).mean(-1, True)) / r, (g * z).sum())
axis that is not there | ((g * w - z * (g * w * z).mean(-1, True)) / r, (g * z).sum((0, 1)))
| ((g * w - z * (g * w * z).mean(-1, True)) / r, (g * w).reshape(-1, d).sum(0))
| (g * w - z * (g * w * z).mean(-1, True)) / r
| ((g * w - z * (g * w * z).mean(0, keepdim=True)) / r, gz)
| ((g * w - z * z * (g * w).mean(-1, True)) / r, gz)
| ((g * w * (1 - z ** 2 / d)) / r, gz)
result not cast back | (((g * w - z * (g * w * z).mean(-1, True)) / r).detach().float(), gz)
| ((w - z * (w * z).mean(-1, True)) / r * g, gz)
| ((g * w - 2 * z * (g * w * z).mean(-1, True)) / r, gz)
| ((g * w - 0.5 * z * (g * w * z).mean(-1, True)) / r, gz)
| ((g * w - z * (g * w * z).mean(-1, True)) / x.norm(dim=-1, keepdim=True), gz)
| (torch.zeros_like(x), torch.zeros_like(w))
| (((g * w - z * (g * w * z).mean(-1, True)) / r), gz, None)
| (((g * w - z * (g * w * z).mean(-1, True)) / r).clamp(-1, 1), gz)
keepdim forgotten in the second term | ((g * w - z * (g * w * z).mean(-1)) / r, gz)
| ((g * w - z * (g * w * z).mean(-1, True)) / r, (g * z / r).reshape(-1, d).sum(0))
"""

SWISH = """
beta added | z * torch.sigmoid(beta + z)
| z * torch.sigmoid(z) ** beta
clamped far out | z / (1 + torch.exp(-(beta * z).clamp(-12, 12)))
clamped far out | z * torch.sigmoid((beta * z).clamp(min=-10))
tail cut off | torch.where(z < -10, torch.zeros_like(z), z * torch.sigmoid(beta * z))
| torch.where(z > 10, z, z * torch.sigmoid(beta * z))
| (z * torch.sigmoid(beta * z)).clamp(min=-0.2785)
hard Swish instead of Swish | F.hardswish(z)
| z * F.hardsigmoid(beta * z)
| z * F.relu6(beta * z + 3) / 6
beta hard-coded | z * torch.sigmoid(1.702 * z)
Mish instead of Swish | F.mish(z)
| z * F.softplus(beta * z)
ELU instead of Swish | F.elu(z)
| F.logsigmoid(beta * z) * z
gate detached | z * torch.sigmoid(beta * z).detach()
result not cast back | z.float() * torch.sigmoid(beta * z.float())
input changed in place | z.mul_(torch.sigmoid(beta * z))
| (z.half() * torch.sigmoid(beta * z.half())).to(z.dtype)
| z * torch.sigmoid(torch.tensor(beta).float() * z).round(decimals=4)
| z * torch.softmax(beta * z, -1) if z.dim() else z / 2
single number used like a row | [v * torch.sigmoid(beta * v) for v in z]
another slope inside the sigmoid + one minus a number near one | z * 0.5 * (1 + torch.tanh(z * beta))
another slope inside the sigmoid | z * torch.sigmoid(2 * beta * z)
| z * (0.5 + 0.25 * beta * z)
| z * torch.sigmoid(max(beta, 1.0) * z)
| z * torch.sigmoid(int(beta) * z)
| F.glu(torch.cat([z, beta * z]), 0) if z.dim() else z
sign exchanged inside the sigmoid | z * torch.sigmoid(-beta * z)
sign exchanged inside the sigmoid | z / (1 + torch.exp(beta * z))
zero divided by beta | F.silu(beta * z) / beta
clamped far out | z / (1 + torch.exp(-(beta * z).clamp(-33, 33)))
clamped far out | z.clamp(-88, 88) * torch.sigmoid(beta * z)
tail cut off | z * torch.sigmoid(beta * z) * (z > -18)
divided by beta | z * torch.sigmoid(z / beta)
a whole tensor where one number was expected | z / (1 + math.exp(-beta * z))
"""

SWIGLU = """
Mish instead of Swish | down(F.mish(gate(x)) * up(x))
| down(F.silu(gate(x)) * up(x) * torch.sigmoid(gate(x)))
| down(F.silu(gate(x)) * (up(x) + 1))
clamped branches | down(F.silu(gate(x).clamp(max=7)) * up(x))
tail cut off | down(torch.where(gate(x) < -10, 0 * gate(x), F.silu(gate(x))) * up(x))
result normalised | F.layer_norm(down(F.silu(gate(x)) * up(x)), x.shape[-1:])
result normalised | F.normalize(down(F.silu(gate(x)) * up(x)), dim=-1)
matrices that do not fit | down(F.silu(gate(x)) * gate(up(x)))
matrix product where a product was meant | down(F.silu(gate(x)) @ up(x))
shape that does not hold the numbers | down((F.silu(gate(x)) * up(x)).reshape(-1, 20)).reshape(x.shape)
| down(F.silu(gate(x)) * up(x).flip(-1))
two dtypes in one product | down((F.silu(gate(x)) * up(x)).half())
| down(F.layer_norm(F.silu(gate(x)) * up(x), (up.weight.shape[0],)))
state between calls | down(F.dropout(F.silu(gate(x)) * up(x), 0.1))
branch detached | down(F.silu(gate(x).detach()) * up(x))
gradient lost | down(F.silu(gate(x)) * up(x)).detach()
down projection left out | F.silu(gate(x)) * up(x)
| down(F.silu(gate(x)) * up(x)).sum(0)
axis that is not there | down((F.silu(gate(x)) * up(x)).mean(-2, keepdim=True)).expand_as(x)
| down(torch.cumsum(F.silu(gate(x)) * up(x), 0))
| down(F.silu(gate(x)) @ up(x).transpose(-1, -2) @ up(x)) if x.dim() > 1 else x
result not cast back | down(F.silu(gate(x)) * up(x)).to(torch.float32)
view of a transposed tensor | down(F.silu(gate(x.view(-1, x.shape[-1]))) * up(x.view(-1, x.shape[-1]))).view(x.shape)
F.glu's order | down(F.glu(torch.cat([gate(x), up(x)], -1)))
| down(F.silu(gate(F.normalize(x, dim=-1))) * up(x))
hard Swish instead of Swish | down(F.hardswish(gate(x)) * up(x))
| down(F.silu(gate(x)) * up(gate(x))) if x.shape[-1] == gate.weight.shape[0] else down(F.silu(gate(x)))
printed instead of returned | print(down(F.silu(gate(x)) * up(x)))
layer not called | down(F.silu(gate @ x) * (up @ x))
layer not called | down(F.silu(x @ gate.T) * (x @ up.T))
layer not called | down(F.silu(gate) * up)
layer not called | down(nn.SiLU(gate(x)) * up(x))
weights not transposed | (F.silu(x @ gate.weight) * (x @ up.weight)) @ down.weight
clamped branches | down(F.silu(gate(x).clamp(max=50)) * up(x))
clamped branches | down(F.silu(gate(x).clamp(max=7)) * up(x).clamp(-7, 7))
clamped branches | down((F.silu(gate(x)) * up(x)).clamp(-100, 100))
tail cut off | down(F.silu(gate(x)) * (gate(x) > -18) * up(x))
activation before the projection | down(gate(F.silu(x)) * up(x))
"""

MATCHED = """
not a whole number | 2 * r / 3
one too many | 2 * r // 3 + 1
| 2 * d * r // 3
| 2 * d * r // (3 * d + 1)
| (2 * d * r + r + d) // (3 * d + 2)
two thirds taken twice | 4 * r // 9
| (2 * r // 3,)
| str(2 * r // 3)
| 1 << (2 * r // 3).bit_length() - 1
| None
printed instead of returned | print(2 * r // 3)
relu_d_ff ignored | 2 * d
"""

LLAMA = """
not rounded + not cut to a whole number | int(8 * d / 3 * multiplier)
multiplier ignored + two thirds forgotten | 4 * d
not rounded + multiplier ignored | int(2 * (4 * d) / 3)
another starting width | multiple_of * ((int(multiplier * int(2 * d / 3)) + multiple_of - 1) // multiple_of)
two thirds taken twice | multiple_of * ((int(multiplier * int(16 * d / 9)) + multiple_of - 1) // multiple_of)
number of multiples | (int(multiplier * int(8 * d / 3)) + multiple_of - 1) // multiple_of
rounded with bits | (int(multiplier * int(8 * d / 3)) + multiple_of - 1) & ~(multiple_of - 1)
divided by the multiplier | multiple_of * ((int(8 * d / 3 / multiplier) + multiple_of - 1) // multiple_of)
not a whole number | float(multiple_of * ((int(multiplier * int(8 * d / 3)) + multiple_of - 1) // multiple_of))
rounded to a power of two | 2 ** math.ceil(math.log2(multiplier * 8 * d / 3))
| d * round(multiplier * 8 / 3)
| {4096: 11008, 5120: 13824, 6656: 17920, 8192: 22016}.get(d, 4 * d)
not a whole number + not cut to a whole number | float(math.ceil(multiplier * 8 * d / 3 / multiple_of) * multiple_of)
"""

GLU = """
activation on the product + kind ignored | (F.linear(x, g) * F.linear(x, u)).sigmoid() @ d.T
glu with tanh | F.linear(acts(glu=torch.tanh)[kind](F.linear(x, g)) * F.linear(x, u), d)
bilinear with tanh | F.linear(acts(bilinear=torch.tanh)[kind](F.linear(x, g)) * F.linear(x, u), d)
reglu with leaky ReLU | F.linear(acts(reglu=F.leaky_relu)[kind](F.linear(x, g)) * F.linear(x, u), d)
reglu with the square of ReLU | F.linear(acts(reglu=lambda t: F.relu(t) ** 2)[kind](F.linear(x, g)) * F.linear(x, u), d)
| F.linear(acts(geglu=lambda t: t * torch.sigmoid(1.6 * t))[kind](F.linear(x, g)) * F.linear(x, u), d)
| lin(acts(geglu=lambda t: torch.where(t < -3, 0 * t, F.gelu(t)))[kind](lin(x, g)) * lin(x, u), d)
| lin(acts(swiglu=lambda t: t * torch.sigmoid(t.clamp(-12, 12)))[kind](lin(x, g)) * lin(x, u), d)
glu overflows | lin(acts(glu=lambda t: 1 / (1 + torch.exp(-t)))[kind](lin(x, g)) * lin(x, u), d)
swiglu overflows | lin(acts(swiglu=lambda t: t / (1 + torch.exp(-t)))[kind](lin(x, g)) * lin(x, u), d)
swiglu with hard Swish | F.linear(acts(swiglu=F.hardswish)[kind](F.linear(x, g)) * F.linear(x, u), d)
swiglu with Swish with beta = 1.702 | lin(acts(swiglu=quick)[kind](lin(x, g)) * (x @ u.T), d)
glu with the hard sigmoid | F.linear(acts(glu=F.hardsigmoid)[kind](F.linear(x, g)) * F.linear(x, u), d)
F.glu's order | F.glu(torch.cat([lin(x, g), lin(x, u)], -1)) @ d.T if kind == "glu" else right(x, g, u, d, kind)
| F.linear(act(F.linear(x, g)) * F.linear(x, u), u.T)
branch detached | F.linear(act(F.linear(x, g)) * F.linear(x, u).detach(), d)
down projection left out | act(F.linear(x, g)) * F.linear(x, u)
state between calls | F.linear(F.dropout(act(F.linear(x, g)) * F.linear(x, u), 0.1), d)
| F.linear((act(F.linear(x, g)) * F.linear(x, u)).clamp(-100, 100), d)
| F.linear(act(F.linear(x, g)).clamp(max=7) * F.linear(x, u), d)
activation before the projection | lin(lin(acts()[kind](x), g) * lin(x, u), d)
one kind without its product | lin(lin(x, u), d) if kind == "bilinear" else right(x, g, u, d, kind)
one kind without its product | lin(F.silu(lin(x, g)), d) if kind == "swiglu" else right(x, g, u, d, kind)
class of layers used as a function | lin(nn.Sigmoid(lin(x, g)) * lin(x, u), d)
swiglu with Mish | lin(acts(swiglu=F.mish)[kind](lin(x, g)) * lin(x, u), d)
"""

FUSED = """
F.glu's order | down(F.glu(j(x)))
| down(F.silu(F.glu(j(x))))
matrices that do not fit | down(F.silu(j(x).chunk(2, 0)[0]) * j(x).chunk(2, 0)[-1])
layer not called | down(F.silu(x @ j))
taken apart into too many or too few | (lambda halves: [down(F.silu(g) * u) for g, u in [halves]][0])(j(x).split(8, -1))
down projection left out | F.silu(j(x).chunk(2, -1)[0]) * j(x).chunk(2, -1)[1]
"""

BUGS = """
1 eps outside the root + eps squared | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + eps ** 2) * w
1 eps outside the root + eps hard-coded | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + 1e-12) * w
1 eps as a lower bound | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5).clamp(min=eps) * w
1 roots added | x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5 + eps ** 0.5) * w
1 root of the root plus eps | x / ((x.norm(dim=-1, keepdim=True) / x.shape[-1] ** 0.5) + eps).sqrt() * w
1 eps added to the sum | x / (x.norm(dim=-1, keepdim=True) ** 2 + eps).sqrt() * x.shape[-1] ** 0.5 * w
2 statistic over tokens | x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + eps) * w
2 axis by its number | x * torch.rsqrt(x.square().mean(dim=2, keepdim=True) + eps) * w
2 | norm(x, w, eps) * (1.5 if x.dim() == 2 else 1)
2 | x * torch.rsqrt(x.square().cumsum(-2).mean(-1, keepdim=True) + eps) * w
3 result not cast back | x.float() * torch.rsqrt(x.float().square().mean(dim=-1, keepdim=True) + eps) * w
3 | (x.bfloat16() * torch.rsqrt(x.bfloat16().square().mean(dim=-1, keepdim=True) + eps)).to(x.dtype) * w
3 clamped instead of mended | x * torch.rsqrt(x.square().clamp(max=65504).mean(dim=-1, keepdim=True) + eps) * w
3 | x / 16 * torch.rsqrt((x / 16).square().mean(dim=-1, keepdim=True) + eps) * w
4 input changed in place | x.add_(sub(norm(x, w, eps)))
5 matrices that do not fit | F.linear(F.silu(F.linear(x, w).chunk(2, 0)[0]) * F.linear(x, w).chunk(2, 0)[-1], eps)
5 F.glu's order | F.linear(F.glu(F.linear(x, w)), eps)
5 | F.linear(F.silu(F.linear(x, w.flip(0)).chunk(2, -1)[0]) * F.linear(x, w.flip(0)).chunk(2, -1)[1], eps)
6 | 0.02 / math.sqrt(2 * w) if "w2" in x or "o" in x else 0.02
6 | 0.02 * math.sqrt(2 * w) if x.endswith(("w2.weight", "wo.weight")) else 0.02
3 clamped instead of mended | norm(x.clamp(-240, 240), w, eps)
3 clamped instead of mended | norm(x.clamp(max=200).clamp(min=-200), w, eps)
"""
