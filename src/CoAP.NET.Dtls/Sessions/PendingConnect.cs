using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A pending handshake with a server: one thread at a time works on it, and none blocks for it.</summary>
/// <param name="owner">The client, which gets the result.</param>
/// <param name="path">The path to the server, with the socket.</param>
/// <param name="serverName">The name to request; null: its address.</param>
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

    /// <summary>The requested name; null: the address.</summary>
    public string? ServerName => serverName;

    public DtlsPath Path => path;

    /// <summary>Ends with the session, or with the failure.</summary>
    public Task<DtlsSession> Ended => _ended.Task;

    /// <summary>The progress. Any thread may read it.</summary>
    public CoapConnectProgress Progress => ConnectFailures.ProgressOf(_handshake, _hasHeard, path, owner.Time.GetElapsedTime(_since));

    /// <summary>Begins the handshake.</summary>
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

    /// <summary>Queues a datagram for a thread of the scheduler.</summary>
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

    /// <summary>Checks the deadline and due retransmissions.</summary>
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

    /// <summary>Gives up the handshake.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="text">The reason, as text.</param>
    /// <returns>False if it was already decided.</returns>
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

    /// <summary>Gives up the handshake because no caller waits any more.</summary>
    /// <param name="cancellationToken">The token of the cancelled wait.</param>
    public void Cancel(CancellationToken cancellationToken)
    {
        if (TryDecide(isPump: false))
        {
            owner.Forget(this);
            _ended.TrySetCanceled(cancellationToken);
        }
    }

    /// <summary>Decides the result, once. The thread that works on the handshake then disposes it.</summary>
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
    /// The fatal alert by which the server refuses, once a retransmission timeout has passed without any other message. Alerts are
    /// unprotected before the keys exist, so a forged one must not end a handshake that the server continues.
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
