# A command that reads /data and writes where it is told; no network is needed at run time:
#   docker build -t sfumato . && docker run --rm --network none -v "$PWD:/data" sfumato anonymize people.csv -p policy.yaml -o out
FROM python:3.11-slim
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN pip install --no-cache-dir "/src[duckdb,sql]" && rm -rf /src && useradd --create-home release
USER release
WORKDIR /data
ENTRYPOINT ["sfumato"]
