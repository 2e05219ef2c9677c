using System.Security.Cryptography;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A pending handshake with a client: one thread at a time works on it, and none blocks for it.</summary>
/// <param name="handshake">The handshake.</param>
/// <param name="path">The path to the client.</param>
/// <param name="owner">The server, which gets the result.</param>
/// <param name="beginning">
/// The part of its ClientHello before the cookie; it contains a random number, so another handshake has another.
/// </param>
#pragma warning disable CA1001 // the source has no timer and no handle, and cancellation may come at any time
internal sealed class PendingHandshake(ServerHandshake handshake, DtlsPath path, DtlsServer owner, byte[] beginning) : IShared
#pragma warning restore CA1001
{
    // A flight of a client that sends each message in a datagram of its own, twice.
    private const int MaxQueued = 16;
    private const int DecoyKeyLength = 16;

    private readonly Lock _gate = new();
    private readonly Queue<byte[]> _queue = new();
    private readonly CancellationTokenSource _end = new();
    private long _lastProgress;
    private int _progress;
    private bool _isBusy;
    private bool _isTimeoutDue;
    private bool _isOver;

    public DtlsPath Path => path;

    /// <summary>Its start, by the clock's timestamp.</summary>
    public required long Since { get; init; }

    /// <summary>The source of the client, from <see cref="SourceKeys.Of"/>.</summary>
    public required uint Source { get; init; }

    /// <summary>Whether its source has sessions.</summary>
    public required bool IsKnown { get; init; }

    /// <summary>The slot of its future session; null without slots.</summary>
    public SlotGrant? Grant { get; init; }

    /// <summary>Whether the table contains it. Under the lock of the table.</summary>
    public bool IsListed { get; set; }

    /// <summary>Number of required messages that have arrived. Any thread may read it.</summary>
    public int Progress => Volatile.Read(ref _progress);

    /// <summary>Time of the last progress, or of its start. Any thread may read it.</summary>
    public long LastOfUse => Math.Max(Since, Volatile.Read(ref _lastProgress));

    /// <summary>Whether a ClientHello with a valid cookie is the one that began it.</summary>
    /// <param name="beforeCookie">The part of it before the cookie.</param>
    public bool Began(ReadOnlySpan<byte> beforeCookie) => beforeCookie.SequenceEqual(beginning);

    /// <summary>Queues a datagram for a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>False if the handshake is over, or too many datagrams wait.</returns>
    public bool Post(ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if (_isOver || _queue.Count >= MaxQueued)
            {
                return false;
            }

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

    /// <summary>Makes it check due retransmissions.</summary>
    public void Tick()
    {
        lock (_gate)
        {
            _isTimeoutDue = true;
            if (_isOver || _isBusy)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
    }

    /// <summary>Gives up the handshake.</summary>
    /// <param name="why">The reason, as text.</param>
    /// <returns>False if it was already over; otherwise the caller reports its end.</returns>
    public bool GiveUp(string why)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return false;
            }

            _isOver = true;
            _queue.Clear();
            if (!_isBusy)
            {
                handshake.Fail(why);
                Release();
            }
        }

        // A look-up of a key may be pending.
        _end.Cancel();
        return true;
    }

    private void Pump() => _ = PumpAsync();

    private async Task PumpAsync()
    {
        while (TryTake(out byte[]? datagram))
        {
            IReadOnlyList<byte[]> output = [];
            try
            {
                if (datagram is null)
                {
                    handshake.OnTimeout();
                }
                else if (!handshake.IsStarted)
                {
                    await FindSessionAsync(datagram).ConfigureAwait(false);
                    handshake.Start(datagram);
                }
                else
                {
                    handshake.Receive(datagram);
                    NoteProgress();
                }

                if (handshake.Status == HandshakeStatus.WantsKey)
                {
                    Send(handshake.TakeOutput());
                    await FindKeyAsync().ConfigureAwait(false);
                }

                output = handshake.TakeOutput();
            }
#pragma warning disable CA1031 // an exception of a user's store ends this handshake and nothing else
            catch (Exception exception)
#pragma warning restore CA1031
            {
                handshake.Fail(exception.Message);
            }

            if (handshake.Status is HandshakeStatus.Done or HandshakeStatus.Failed)
            {
                Finish(output);
                return;
            }

            Send(output);
        }
    }

    private void NoteProgress()
    {
        if (handshake.Progress > _progress)
        {
            Volatile.Write(ref _progress, handshake.Progress);
            Volatile.Write(ref _lastProgress, owner.Now);
        }
    }

    private bool TryTake(out byte[]? datagram)
    {
        lock (_gate)
        {
            if (!_isOver)
            {
                if (_queue.TryDequeue(out datagram))
                {
                    return true;
                }

                if (_isTimeoutDue)
                {
                    _isTimeoutDue = false;
                    return true;
                }
            }
            else
            {
                // It was given up while a thread was here.
                Release();
            }

            datagram = null;
            _isBusy = false;
            return false;
        }
    }

    private async ValueTask FindKeyAsync()
    {
        // A store that ignores its token must not keep this object or OpenSSL's state alive.
        ValueTask<ReadOnlyMemory<byte>> search = owner.FindKeyAsync(handshake.PskIdentity!, _end.Token);
        ReadOnlyMemory<byte> key = search.IsCompletedSuccessfully
            ? search.Result
            : await search.AsTask().WaitAsync(_end.Token).ConfigureAwait(false);
        if (!key.IsEmpty)
        {
            handshake.GiveKey(key.Span);
            return;
        }

        // It fails as with a wrong key, so a client cannot find out which identities exist.
        byte[] decoy = new byte[DecoyKeyLength];
        owner.Random.Fill(decoy);
        handshake.GiveKey(decoy);
        CryptographicOperations.ZeroMemory(decoy);
    }

    // The name is unencrypted; OpenSSL gets the session when it asks.
    private async ValueTask FindSessionAsync(byte[] clientHello)
    {
        if (owner.Resumption is { } resumption && ClientHello.SessionIdOf(clientHello) is { } id)
        {
            handshake.Found(id, await resumption.FindAsync(id, _end.Token).ConfigureAwait(false));
        }
    }

    private void Send(IReadOnlyList<byte[]> datagrams)
    {
        foreach (byte[] datagram in datagrams)
        {
            owner.Sink.Send(path, datagram);
        }
    }

    private void Finish(IReadOnlyList<byte[]> output)
    {
        bool isGivenUp;
        lock (_gate)
        {
            isGivenUp = _isOver;
            _isOver = true;
            _queue.Clear();
        }

        try
        {
            Established? established = handshake.Status == HandshakeStatus.Done ? handshake.Establish() : null;
            if (isGivenUp)
            {
                established?.Records.Clear();
                return;
            }

            // The session exists before the client can know of it and use it.
            if (established is not null)
            {
                owner.OnDone(this, established, handshake.IsResumed);
                handshake.KeepBy(owner.Resumption);
            }
            else
            {
                owner.OnFailed(this, handshake.Failure ?? "unknown");
            }

            Send(output);
        }
        finally
        {
            Release();
        }
    }

    private void Release()
    {
        owner.Counters.AddForged(handshake.Forgeries);
        handshake.Dispose();
    }
}
