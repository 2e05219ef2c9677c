# Sourced by the steps that run what was built for this machine on another C library or another processor. Their working folder is the repository.
export CI=true DEBIAN_FRONTEND=noninteractive DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

. .ci/functions.sh

# Assemblies are the same on every system: only .NET's runtime and the program that starts it differ.
# lay_out RID FOLDER PROJECT...: below the folder, .NET's runtime for a system, and a program that starts each of the built projects.
lay_out() {
    local rid=$1 root=$2 project programs=''
    for project in "${@:3}"; do
        [ -f "$project/bin/Release/net10.0/$(basename "$project").dll" ] || retry dotnet build "$project" -c Release -v q -clp:NoSummary
        programs+="$PWD/$project/bin/Release/net10.0/$(basename "$project").dll;"
    done
    retry dotnet build .ci/platforms/emulated/runtime.csproj -restore -t:LayOut -v q -clp:NoSummary "-p:Rid=$rid" "-p:Root=$root" "-p:Programs=\"$programs\""
}

# run_tests PROJECT FILTER...: begins tests by start (which the step defines), as many programs at a time as there are processors.
tested=()
run_tests() {
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n || true
    tested+=("$1")
    local began=$SECONDS
    {
        start "$1" --no-ansi --progress off --pre-enumerate-theories off --results-directory "$root/results" --filter-not-trait Group=External "${@:2}" || true
        printf 'seconds: %d\n' $((SECONDS - began))
    } >"$root/$1.log" 2>&1 &
}

# count_tests: waits for all, and says what passed and failed. The summary counts and not the exit code: an emulator may crash when the process ends.
passed=0
failed=0
count_tests() {
    local project log right wrong
    wait
    for project in "${tested[@]}"; do
        log=$root/$project.log
        right=$(sed -n 's/^  succeeded: //p' "$log")
        wrong=$(sed -n 's/^  failed: //p' "$log")
        printf '%s: %s passed, %s failed (%d s)\n' "$project" "${right:-0}" "${wrong:-?}" "$(sed -n 's/^seconds: //p' "$log")"
        passed=$((passed + ${right:-0}))
        if [ -z "$wrong" ] || [ "$wrong" != 0 ] || [ "${right:-0}" = 0 ]; then
            tail -n 100 "$log"
            failed=$((failed + 1))
        fi
    done
}
