using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Prevents a suspended node from serving before it knows what happened meanwhile, for example after <c>SIGSTOP</c> or in a paused virtual
/// machine: others may have taken its slots, and processed the datagrams that are still in its sockets. Thread-safe.
/// </summary>
/// <remarks>
/// Again and again it allows the server to serve for a while: three fifths of a lease, but at most three quarters of the shortest time
/// after which other nodes take the slots of a silent node. When the server stops taking datagrams on its own, no other node has therefore
/// taken a slot yet. It does so three times in that while: the server also serves after a pause of two thirds of it, such as a garbage
/// collection. The lease is renewed five times until its end. Its end does not count: a node whose store is unavailable continues to serve.
/// </remarks>
internal sealed class SuspensionDetector
{
    private const int BeatsServed = 3;
    private const int TriesOfLease = 20;

    private readonly CoapNodeId _node;
    private readonly NodeMembership _membership;
    private readonly Func<Task> _dropLost;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly TimeSpan _lease;
    private readonly TimeSpan _longest;
    private readonly Lock _gate = new();
    private Action<TimeSpan>? _serveFor;
    private IDisposable? _timer;
    private long _beat;
    private long _standstills;
    private bool _isFindingBack;

    /// <summary>Creates the watch. It is inactive before <see cref="Start"/>.</summary>
    /// <param name="node">The node.</param>
    /// <param name="membership">Reads the owners of slots from the store.</param>
    /// <param name="dropLost">Drops what belongs to lost slots.</param>
    /// <param name="deathDelay">The shortest time after which other nodes take the slots of a silent node.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log.</param>
    public SuspensionDetector(
        CoapNodeId node, NodeMembership membership, Func<Task> dropLost, TimeSpan deathDelay, TimeProvider time,
        ILogger logger)
    {
        _node = node;
        _membership = membership;
        _dropLost = dropLost;
        _time = time;
        _logger = logger;
        _lease = membership.Lease;
        TimeSpan ofLease = _lease / 5 * 3;
        TimeSpan ofDeath = deathDelay / 4 * 3;
        _longest = ofDeath < ofLease ? ofDeath : ofLease;
    }

    /// <summary>Starts with the server.</summary>
    /// <param name="serveFor">Limits the time for which the server serves.</param>
    public void Start(Action<TimeSpan> serveFor)
    {
        lock (_gate)
        {
            _serveFor = serveFor;
            _beat = _time.GetTimestamp();
            _timer ??= PeriodicCallback.Start(_time, _longest / BeatsServed, Beat);
        }

        Beat();
    }

    public void Stop()
    {
        lock (_gate)
        {
            _serveFor = null;
            _timer?.Dispose();
            _timer = null;
        }
    }

    private void Beat()
    {
        TimeSpan since;
        lock (_gate)
        {
            if (_serveFor is not { } serveFor)
            {
                return;
            }

            long now = _time.GetTimestamp();
            since = _time.GetElapsedTime(_beat, now);
            _beat = now;
            if (since <= _longest)
            {
                if (!_isFindingBack)
                {
                    serveFor(_longest);
                }

                return;
            }

            _standstills++;
            if (_isFindingBack)
            {
                // It starts again when it detects that.
                return;
            }

            _isFindingBack = true;
        }

        SuspensionDetectorLog.StoodStill(_logger, _node, since);
        _ = FindBackAsync();
    }

    private async Task FindBackAsync()
    {
        long standstills;
        do
        {
            lock (_gate)
            {
                standstills = _standstills;
            }

            // In this order: the newest map shows the lost slots, whose sessions are gone before the server serves again.
            await TryHearAsync().ConfigureAwait(false);
            await _dropLost().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        while (!TryServe(standstills));
    }

    // False if the node was suspended again.
    private bool TryServe(long standstills)
    {
        lock (_gate)
        {
            if (_serveFor is { } serveFor)
            {
                if (_standstills != standstills || _time.GetElapsedTime(_beat) > _longest)
                {
                    return false;
                }

                serveFor(_longest);
            }

            _isFindingBack = false;
            return true;
        }
    }

    // A connection to the store may have broken meanwhile, so one failure tells little. If the store is unavailable, the node continues
    // after a while with its slots.
    private async Task TryHearAsync()
    {
        using CancellationTokenSource end = new(_lease, _time);
        while (!end.IsCancellationRequested && Volatile.Read(ref _serveFor) is not null)
        {
            Task<bool> renewal = _membership.TryRenewAsync(end.Token);
            await ((Task)renewal).WaitAsync(end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (renewal.IsCompletedSuccessfully && await renewal.ConfigureAwait(false))
            {
                return;
            }

            await Task.Delay(_lease / TriesOfLease, _time, end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
