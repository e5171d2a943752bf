# A server for one person on a JupyterHub (z2jh) or on Binder: the course with PyTorch's CPU build, and nbgrader, with
# which students fetch and submit. Build it in the course's folder: docker build --tag norms-and-gates .
FROM python:3.13-slim

ARG NB_USER=jovyan
ARG NB_UID=1000
ENV USER=${NB_USER} HOME=/home/${NB_USER} PIP_NO_CACHE_DIR=1
RUN useradd --create-home --uid ${NB_UID} ${NB_USER}

WORKDIR ${HOME}/course
COPY . .
RUN pip install --extra-index-url https://download.pytorch.org/whl/cpu \
        -r requirements.txt "jupyterhub~=6.1" nbgrader==0.9.6 \
    && chown -R ${NB_UID} ${HOME}

USER ${NB_USER}
EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--LabApp.default_url=/lab/tree/lessons/01_layernorm.ipynb"]
