"""A DAG of Airflow that releases a table every night and verifies what was written; nothing here is imported by sfumato."""

from __future__ import annotations

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    "release_people",
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
) as dag:
    # A task that runs again finds its folder and ends with 0; 2, 3 and 4 need a person, so that nothing is tried twice.
    release = BashOperator(
        task_id="release",
        bash_command=(
            "sfumato --log-format json anonymize /srv/release/people.parquet -p /srv/release/policy.yaml "
            "-o /srv/release/out/{{ ds }} --if-exists skip -q"
        ),
        retries=0,
    )
    verify = BashOperator(task_id="verify", bash_command="sfumato verify /srv/release/out/{{ ds }}")
    release >> verify
