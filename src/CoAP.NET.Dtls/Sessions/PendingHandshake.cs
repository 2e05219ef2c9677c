using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A pending handshake with a client: one thread at a time works on it, and none blocks for it.</summary>
/// <param name="make">Creates the handshake for its ClientHello; called once, on a handshake thread.</param>
/// <param name="path">The path to the client.</param>
/// <param name="owner">The server, which gets the result.</param>
/// <param name="beginning">
/// The part of its ClientHello before the cookie; it contains a random number, so another handshake has another.
/// </param>
#pragma warning disable CA1001 // the source has no timer and no handle, and cancellation may come at any time
internal sealed class PendingHandshake(Func<byte[], ServerHandshake> make, DtlsPath path, DtlsServer owner, byte[] beginning) : ISourceOwned
#pragma warning restore CA1001
{
    private const int DecoyKeyLength = 16;

    private readonly Lock _gate = new();
    private readonly HandshakeDatagramQueue _queue = new(owner.MaxQueuedBytes);
    private readonly CancellationTokenSource _end = new();
    private volatile ServerHandshake? _handshake;
    private ClientHelloAssembler? _hello;
    private volatile KeyLookup _lookup;
    private long _lastProgress;
    private int _progress;
    private bool _isBusy;
    private bool _isTimeoutDue;
    private bool _isOver;
    private bool _takesRest;
    private bool _hasWrongProof;

    public DtlsPath Path => path;

    /// <summary>Its start, by the clock's timestamp.</summary>
    public required long Since { get; init; }

    /// <summary>The source of the client, from <see cref="SourceHasher.Of"/>.</summary>
    public required uint Source { get; init; }

    /// <summary>Whether its source has sessions.</summary>
    public required bool IsKnown { get; init; }

    /// <summary>The slot of its future session; null without slots.</summary>
    public ClusterSlotPermit? Grant { get; init; }

    /// <summary>Whether the table contains it. Under the lock of the table.</summary>
    public bool IsListed { get; set; }

    /// <summary>Number of required messages that have arrived. Any thread may read it.</summary>
    public int Progress => Volatile.Read(ref _progress);

    /// <summary>Time of the last progress, or of its start. Any thread may read it.</summary>
    public long LastOfUse => Math.Max(Since, Volatile.Read(ref _lastProgress));

    /// <summary>Whether a ClientHello with a valid cookie is the one that began it.</summary>
    /// <param name="beforeCookie">The part of it before the cookie.</param>
    public bool Began(ReadOnlySpan<byte> beforeCookie) => beforeCookie.SequenceEqual(beginning);

    /// <summary>The part of its ClientHello before the cookie.</summary>
    public ReadOnlySpan<byte> Beginning => beginning;

    /// <summary>The identity that the client claims, as the client wrote it; null if it claimed none yet. Any thread may read it.</summary>
    public string? ClaimedIdentity => _handshake is { } handshake ? handshake.PskIdentity ?? handshake.ClaimedName : null;

    /// <summary>Whether its failure was reported before its end. Any thread may read it.</summary>
    public bool IsReported => _lookup == KeyLookup.Unknown;

    /// <summary>
    /// Explains why the client did not finish, unless that was reported. A wrong key ends no handshake, because the server drops records
    /// that it cannot open. Any thread may call it.
    /// </summary>
    /// <param name="otherwise">The reason if there is no better one.</param>
    public HandshakeFailureReason ExplainEnd(HandshakeFailureReason otherwise) => _lookup switch
    {
        KeyLookup.Running => new HandshakeFailureReason("The key store did not answer in time.", HandshakeFault.TimedOut),
        KeyLookup.Known when _handshake is { Forgeries: > 0 } => new HandshakeFailureReason(
            "The key of the client does not fit: it is not the one that the key store has for the identity.", HandshakeFault.WrongKey),
        _ => otherwise,
    };

    /// <summary>Queues a datagram for a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>False if the handshake is over, or too many datagrams wait.</returns>
    public bool Post(ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if ((_isOver && !_takesRest) || !_queue.TryEnqueue(datagram))
            {
                return false;
            }

            if (_isBusy)
            {
                return true;
            }

            _isBusy = true;
        }

        owner.Run(Source, Pump);
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

        owner.Run(Source, Pump);
    }

    /// <summary>Gives up the handshake.</summary>
    /// <returns>False if it was already over; otherwise the caller reports its end.</returns>
    public bool GiveUp()
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
                Release();
            }
        }

        // A lookup of a key may be pending.
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
                if (_handshake is { } running)
                {
                    Continue(running, datagram);
                }
                else if (datagram is not null && WholeHello(datagram) is { } hello)
                {
                    await StartAsync(hello).ConfigureAwait(false);
                }

                if (_handshake is { } handshake)
                {
                    if (handshake.Status == HandshakeStatus.WantsKey)
                    {
                        Send(handshake.TakeOutput());
                        await FindKeyAsync(handshake).ConfigureAwait(false);
                    }

                    TellWrongProof(handshake);

                    await handshake.AskAsync(_end.Token).ConfigureAwait(false);
                    output = handshake.TakeOutput();
                }
            }
#pragma warning disable CA1031 // an exception, of a user's store for example, ends this handshake and nothing else
            catch (Exception exception)
#pragma warning restore CA1031
            {
                if (_handshake is null)
                {
                    Finish([], HandshakeFailureReason.Of(exception));
                    return;
                }

                _handshake.Fail(exception);
                output = _handshake.TakeOutput();
            }

            if (_handshake is { Status: HandshakeStatus.Done or HandshakeStatus.Failed } ended)
            {
                Finish(output, ended.Failure);
                return;
            }

            Send(output);
        }
    }

    private byte[]? WholeHello(byte[] datagram)
    {
        if (_hello is null && ClientHello.TryRead(datagram, out ClientHello read))
        {
            if (read.IsWhole)
            {
                return datagram;
            }

            _hello = new ClientHelloAssembler(read.Number);
        }

        return _hello?.Add(datagram);
    }

    private async ValueTask StartAsync(byte[] clientHello)
    {
        _hello = null;
        byte[]? id = owner.CanResume ? ClientHello.SessionIdOf(clientHello) : null;
        SavedResumption? session = id is null ? null : await FindSessionAsync(id).ConfigureAwait(false);
        ServerHandshake handshake = make(clientHello);
        _handshake = handshake;
        if (id is not null)
        {
            // The name is unencrypted.
            handshake.Found(id, session);
        }

        handshake.Start(clientHello);
    }

    private void Continue(ServerHandshake handshake, byte[]? datagram)
    {
        if (datagram is null)
        {
            handshake.OnTimeout();
        }
        else
        {
            handshake.Receive(datagram);
            NoteProgress(handshake);
        }
    }

    private void NoteProgress(ServerHandshake handshake)
    {
        if (handshake.Progress > _progress)
        {
            Volatile.Write(ref _progress, handshake.Progress);
            Volatile.Write(ref _lastProgress, owner.Now);
        }
    }

    private void TellWrongProof(ServerHandshake handshake)
    {
        if (_lookup == KeyLookup.Known && handshake.Forgeries > 0 && !_hasWrongProof)
        {
            _hasWrongProof = true;
            owner.OnWrongProof(this);
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

    private async ValueTask FindKeyAsync(ServerHandshake handshake)
    {
        _lookup = KeyLookup.Running;
        ReadOnlyMemory<byte> key = await owner.FindKeyAsync(handshake.PskIdentity!, _end.Token).ConfigureAwait(false);
        if (!key.IsEmpty)
        {
            _lookup = KeyLookup.Known;
            if (handshake.KeepsClientCredentials)
            {
                handshake.Keep(ClientCredentialRecord.OfKey(owner.Random, key.Span));
            }

            handshake.GiveKey(key.Span);
            return;
        }

        // It fails as with a wrong key, so a client cannot find out which identities exist.
        _lookup = KeyLookup.Unknown;
        owner.Report(this, new HandshakeFailureReason("The key store does not know the identity.", HandshakeFault.UnknownIdentity));
        byte[] decoy = new byte[DecoyKeyLength];
        owner.Random.Fill(decoy);
        handshake.GiveKey(decoy);
        CryptographicOperations.ZeroMemory(decoy);
    }

    // A client whose key was removed or replaced must not return by an earlier session.
    private async ValueTask<SavedResumption?> FindSessionAsync(byte[] id)
    {
        byte[]? state = owner.Resumption is { } shared
            ? await shared.FindAsync(id, _end.Token).ConfigureAwait(false)
            : owner.TakeSession(id);
        if (state is null)
        {
            return null;
        }

        SavedResumption? session = SavedResumption.Read(state);
        if (session is { PskIdentity: { } identity } && !await HasKeyAsync(identity, session.ClientCredentials).ConfigureAwait(false))
        {
            session.Dispose();
            session = null;
        }

        if (session is not null && owner.Resumption is null)
        {
            // Immediately, so that the session can resume again, even if this client only knows its name.
            owner.ReturnSession(id, state, session.Expires);
        }
        else
        {
            CryptographicOperations.ZeroMemory(state);
        }

        return session;
    }

    private async ValueTask<bool> HasKeyAsync(string identity, byte[] credentials)
    {
        ReadOnlyMemory<byte> key = await owner.FindKeyAsync(identity, _end.Token).ConfigureAwait(false);
        return ClientCredentialRecord.IsOfKey(credentials, key.Span);
    }

    private void Send(IReadOnlyList<byte[]> datagrams)
    {
        foreach (byte[] datagram in datagrams)
        {
            owner.Sink.Send(path, datagram);
        }
    }

    private void Finish(IReadOnlyList<byte[]> output, HandshakeFailureReason? failure)
    {
        bool isGivenUp;
        lock (_gate)
        {
            isGivenUp = _isOver;
            _isOver = true;
            _takesRest = failure is null && !isGivenUp;
            if (!_takesRest)
            {
                _queue.Clear();
            }
        }

        try
        {
            HandshakeResult? established = failure is null ? _handshake!.Establish() : null;
            if (isGivenUp)
            {
                established?.Records.Clear();
                return;
            }

            // The session exists before the client can know of it and use it.
            if (established is not null)
            {
                owner.OnDone(this, established, _handshake!.IsResumed);
                _handshake.KeepBy(owner.Resumption);
            }
            else
            {
                owner.OnFailed(this, failure!);
            }

            Send(output);

            // A client that resumes a session may send right after its Finished, also in the same datagram.
            if (_handshake is { Rest: { Length: > 0 } rest })
            {
                _ = owner.Receive(path, rest);
            }

            while (TryTakeRest(out byte[]? datagram))
            {
                _ = owner.Receive(path, datagram);
            }
        }
        finally
        {
            Release();
        }
    }

    private bool TryTakeRest([NotNullWhen(true)] out byte[]? datagram)
    {
        lock (_gate)
        {
            _takesRest = _queue.TryDequeue(out datagram);
            return datagram is not null;
        }
    }

    private void Release()
    {
        if (_handshake is { } handshake)
        {
            owner.Counters.AddForged(handshake.Forgeries);
            handshake.Dispose();
        }
    }

    /// <summary>The result of the search for the key of the client.</summary>
    private enum KeyLookup
    {
        None,
        Running,
        Unknown,
        Known,
    }
}
