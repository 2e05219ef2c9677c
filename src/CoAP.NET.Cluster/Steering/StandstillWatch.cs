using CoAP.NET.Dtls;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Keeps a node that stood still from serving before it knows what has happened meanwhile, as after <c>SIGSTOP</c> or in a virtual machine
/// that was paused: others may have taken its slots, and carried out what still lies in its sockets. Thread-safe.
/// </summary>
/// <remarks>
/// Five times in a lease it has the server serve for three fifths of a lease. The lease is renewed as often, so when the server ends by
/// itself to take datagrams, the last renewal is at most four fifths of a lease ago, and nobody has taken a slot yet; the last fifth is
/// for the store. Whether the lease has ended does not count: a node whose store is away goes on serving.
/// </remarks>
internal sealed class StandstillWatch
{
    private const int BeatsOfLease = 5;
    private const int BeatsServed = 3;
    private const int TriesOfLease = 20;

    private readonly CoapNodeId _node;
    private readonly ClusterMembership _membership;
    private readonly ClusterSessionKeeper _keeper;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly TimeSpan _lease;
    private readonly TimeSpan _longest;
    private readonly Lock _gate = new();
    private CoapDtlsSteeringPort? _port;
    private ITimer? _timer;
    private long _beat;
    private long _standstills;
    private bool _isFindingBack;

    /// <summary>Makes one. It does nothing before <see cref="Start"/>.</summary>
    /// <param name="node">The node.</param>
    /// <param name="membership">Asks the store who has which slot.</param>
    /// <param name="keeper">Drops the sessions of slots that are lost.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Is told when the node stood still.</param>
    public StandstillWatch(
        CoapNodeId node, ClusterMembership membership, ClusterSessionKeeper keeper, TimeProvider time, ILogger logger)
    {
        _node = node;
        _membership = membership;
        _keeper = keeper;
        _time = time;
        _logger = logger;
        _lease = membership.Lease;
        _longest = _lease * BeatsServed / BeatsOfLease;
    }

    /// <summary>The server starts.</summary>
    /// <param name="port">What says for how long it serves.</param>
    public void Start(CoapDtlsSteeringPort port)
    {
        lock (_gate)
        {
            _port = port;
            _beat = _time.GetTimestamp();
            TimeSpan period = _lease / BeatsOfLease;
            _timer ??= _time.CreateTimer(static watch => ((StandstillWatch)watch!).Beat(), this, period, period);
        }

        Beat();
    }

    /// <summary>The server has stopped.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _port = null;
            _timer?.Dispose();
            _timer = null;
        }
    }

    private void Beat()
    {
        TimeSpan since;
        lock (_gate)
        {
            if (_port is not { } port)
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
                    port.ServeFor(_longest);
                }

                return;
            }

            _standstills++;
            if (_isFindingBack)
            {
                // It begins again when it sees that.
                return;
            }

            _isFindingBack = true;
        }

        ClusterSteeringLog.StoodStill(_logger, _node, since);
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

            // In this order: the newest map says what is lost, and nothing of that is here when the server serves again.
            await TryHearAsync().ConfigureAwait(false);
            await _keeper.DropLostAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        while (!TryServe(standstills));
    }

    // False when the node has stood still again.
    private bool TryServe(long standstills)
    {
        lock (_gate)
        {
            if (_port is { } port)
            {
                if (_standstills != standstills || _time.GetElapsedTime(_beat) > _longest)
                {
                    return false;
                }

                port.ServeFor(_longest);
            }

            _isFindingBack = false;
            return true;
        }
    }

    // A connection with the store may have broken meanwhile, so one failure says little. Where the store is away, the node goes on after a
    // while with what it has.
    private async Task TryHearAsync()
    {
        using CancellationTokenSource end = new(_lease, _time);
        while (!end.IsCancellationRequested && Volatile.Read(ref _port) is not null)
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
