using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A handshake under way with a server: one thread at a time works on it, and none waits for it.</summary>
/// <param name="owner">Who is told how it ends.</param>
/// <param name="path">To which server, by which socket.</param>
/// <param name="serverName">The name to ask for; null: its address.</param>
internal sealed partial class PendingConnect(DtlsClient owner, DtlsPath path, string? serverName)
{
    // A flight of a server that sends each message in a datagram of its own, twice.
    private const int MaxQueued = 16;

    private readonly Lock _gate = new();
    private readonly Queue<byte[]> _queue = new();
    private readonly TaskCompletionSource<DtlsSession> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _since = owner.Time.GetTimestamp();
    private ClientHandshake? _handshake;
    private long? _refusedSince;
    private bool _hasHeard;
    private bool _isBusy;
    private bool _isTimeoutDue;
    private bool _isDecided;

    /// <summary>The name that is asked for; null: the address.</summary>
    public string? ServerName => serverName;

    public DtlsPath Path => path;

    /// <summary>Ends with the session, or with what went wrong.</summary>
    public Task<DtlsSession> Ended => _ended.Task;

    /// <summary>How far it has come. Read by any thread.</summary>
    public CoapConnectProgress Progress => ConnectFailures.ProgressOf(_handshake, _hasHeard, path, owner.Time.GetElapsedTime(_since));

    /// <summary>Begins.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (_isDecided)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
    }

    /// <summary>Takes a datagram; has it worked on by a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>Whether there was room.</returns>
    public bool Post(ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if (_isDecided || _queue.Count >= MaxQueued)
            {
                return false;
            }

            _hasHeard = true;
            _queue.Enqueue(datagram.ToArray());
            if (_isBusy)
            {
                return true;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
        return true;
    }

    /// <summary>Looks at the deadline, and whether something is to be sent again.</summary>
    public void Tick()
    {
        if (owner.Time.GetElapsedTime(_since) >= owner.Settings.HandshakeTimeout)
        {
            (CoapDtlsHandshakeFailure reason, string text) = ConnectFailures.OfSilence(_handshake, _hasHeard, path,
                owner.Settings.HandshakeTimeout);
            GiveUp(reason, text);
            return;
        }

        if (IsRefused() is { } alert)
        {
            (CoapDtlsHandshakeFailure reason, string text) = ConnectFailures.OfAlert(alert, _handshake!);
            GiveUp(reason, text);
            return;
        }

        lock (_gate)
        {
            _isTimeoutDue = true;
            if (_isDecided || _isBusy || _handshake is null)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
    }

    /// <summary>Gives it up.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="text">In words.</param>
    /// <returns>Whether it was not decided before.</returns>
    public bool GiveUp(CoapDtlsHandshakeFailure reason, string text)
    {
        if (!TryDecide(isPump: false))
        {
            return false;
        }

        owner.Forget(this);
        _ended.TrySetException(new CoapDtlsHandshakeException(reason, text));
        return true;
    }

    /// <summary>Gives it up, as nobody waits any more.</summary>
    /// <param name="cancellationToken">Who says so.</param>
    public void Cancel(CancellationToken cancellationToken)
    {
        if (TryDecide(isPump: false))
        {
            owner.Forget(this);
            _ended.TrySetCanceled(cancellationToken);
        }
    }

    /// <summary>Decides how it ends, once. Whoever works on the handshake disposes of it then.</summary>
    private bool TryDecide(bool isPump)
    {
        lock (_gate)
        {
            if (_isDecided)
            {
                return false;
            }

            _isDecided = true;
            if (!isPump)
            {
                _queue.Clear();
                if (!_isBusy)
                {
                    _handshake?.Dispose();
                }
            }

            return true;
        }
    }

    /// <summary>
    /// The fatal alert by which the server refuses, once a retransmission timeout has gone by in which nothing else came: alerts are not
    /// protected before the keys are known, so a forged one must not end a handshake that the server goes on with.
    /// </summary>
    private byte? IsRefused()
    {
        lock (_gate)
        {
            return _refusedSince is { } since && _handshake is { } handshake
                && owner.Time.GetElapsedTime(since) >= handshake.Settings.RetransmitTimeout ? handshake.Refusal : null;
        }
    }
}
