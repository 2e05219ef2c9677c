using System.Security.Cryptography;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A handshake under way with a client: one thread at a time works on it, and none waits for it.</summary>
/// <param name="handshake">The handshake.</param>
/// <param name="path">Where the client is.</param>
/// <param name="owner">Who is told how it ends.</param>
/// <param name="beginning">What its ClientHello says before the cookie; with a random number, so that another handshake has
/// another.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
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

    /// <summary>When it began, by the clock's timestamp.</summary>
    public required long Since { get; init; }

    /// <summary>Where the client is, as <see cref="SourceKeys.Of"/> has it.</summary>
    public required uint Source { get; init; }

    /// <summary>Whether its source has sessions.</summary>
    public required bool IsKnown { get; init; }

    /// <summary>In which slot its session will be; null where there are none.</summary>
    public SlotGrant? Grant { get; init; }

    /// <summary>Whether the table has it. Under the lock of the table.</summary>
    public bool IsListed { get; set; }

    /// <summary>How many of the messages that it needs have come. Read by any thread.</summary>
    public int Progress => Volatile.Read(ref _progress);

    /// <summary>When it came further, or began. Read by any thread.</summary>
    public long LastOfUse => Math.Max(Since, Volatile.Read(ref _lastProgress));

    /// <summary>Whether a ClientHello with a good cookie is the one that began it.</summary>
    /// <param name="beforeCookie">What it says before the cookie.</param>
    public bool Began(ReadOnlySpan<byte> beforeCookie) => beforeCookie.SequenceEqual(beginning);

    /// <summary>Takes a datagram; has it worked on by a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>Whether it was taken; false when it is over, or too many wait.</returns>
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

    /// <summary>Has it look whether something is to be sent again.</summary>
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

    /// <summary>Gives it up.</summary>
    /// <param name="why">In words.</param>
    /// <returns>Whether it was not over before; then nobody else says how it ended.</returns>
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

        // A look-up of a key may be under way.
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
#pragma warning disable CA1031 // what a store of a user throws ends this handshake and nothing else
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
                // Given up while a thread was here.
                Release();
            }

            datagram = null;
            _isBusy = false;
            return false;
        }
    }

    private async ValueTask FindKeyAsync()
    {
        // A store that does not listen to its token keeps neither this nor what OpenSSL holds for it.
        ValueTask<ReadOnlyMemory<byte>> search = owner.FindKeyAsync(handshake.PskIdentity!, _end.Token);
        ReadOnlyMemory<byte> key = search.IsCompletedSuccessfully
            ? search.Result
            : await search.AsTask().WaitAsync(_end.Token).ConfigureAwait(false);
        if (!key.IsEmpty)
        {
            handshake.GiveKey(key.Span);
            return;
        }

        // It fails as with a wrong key, so nobody learns whom we know.
        byte[] decoy = new byte[DecoyKeyLength];
        owner.Random.Fill(decoy);
        handshake.GiveKey(decoy);
        CryptographicOperations.ZeroMemory(decoy);
    }

    // The name stands in the clear; OpenSSL gets the session when it asks.
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

            // The session is there before the client can know of it and use it.
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
