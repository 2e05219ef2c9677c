# Sourced by .ci/run and its steps.

# Mirrors and registries fail now and then.
retry() {
    local attempt
    for attempt in 1 2 3 4; do
        "$@" && return 0
        printf 'Attempt %d of "%s" did not work.\n' "$attempt" "$*"
        sleep $((attempt * 10))
    done
    return 1
}

# install PACKAGE...: from the system's packages.
install() {
    local sudo=''
    [ "$(id -u)" = 0 ] || sudo='sudo'
    retry $sudo apt-get -o DPkg::Lock::Timeout=300 update -qq
    retry $sudo apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@"
}
