using System.Security.Cryptography;
using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A handshake under way with a client: one thread at a time works on it, and none waits for it.</summary>
/// <param name="handshake">The handshake.</param>
/// <param name="path">Where the client is.</param>
/// <param name="owner">Who is told how it ends.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
internal sealed class PendingHandshake(ServerHandshake handshake, DtlsPath path, DtlsServer owner)
#pragma warning restore CA1001
{
    // A flight of a client that sends each message in a datagram of its own, twice.
    private const int MaxQueued = 16;
    private const int DecoyKeyLength = 16;

    private readonly Lock _gate = new();
    private readonly Queue<byte[]> _queue = new();
    private readonly CancellationTokenSource _end = new();
    private bool _isBusy;
    private bool _isTimeoutDue;
    private bool _isOver;

    public DtlsPath Path => path;

    /// <summary>When it began, by the clock's timestamp.</summary>
    public required long Since { get; init; }

    /// <summary>Takes a datagram; has it worked on by a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    public void Post(ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if (_isOver || _queue.Count >= MaxQueued)
            {
                return;
            }

            _queue.Enqueue(datagram.ToArray());
            if (_isBusy)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
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
    public void GiveUp(string why)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return;
            }

            _isOver = true;
            _queue.Clear();
            if (!_isBusy)
            {
                handshake.Fail(why);
                handshake.Dispose();
            }
        }

        // A look-up of a key may be under way.
        _end.Cancel();
    }

    private void Pump() => _ = PumpAsync();

    private async Task PumpAsync()
    {
        while (TryTake(out byte[]? datagram))
        {
            try
            {
                if (datagram is null)
                {
                    handshake.OnTimeout();
                }
                else if (!handshake.IsStarted)
                {
                    handshake.Start(datagram);
                }
                else
                {
                    handshake.Receive(datagram);
                }

                if (handshake.Status == HandshakeStatus.WantsKey)
                {
                    Flush();
                    await FindKeyAsync().ConfigureAwait(false);
                }

                Flush();
            }
#pragma warning disable CA1031 // what a store of a user throws ends this handshake and nothing else
            catch (Exception exception)
#pragma warning restore CA1031
            {
                handshake.Fail(exception.Message);
            }

            if (handshake.Status is HandshakeStatus.Done or HandshakeStatus.Failed)
            {
                Finish();
                return;
            }
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
                handshake.Dispose();
            }

            datagram = null;
            _isBusy = false;
            return false;
        }
    }

    private async ValueTask FindKeyAsync()
    {
        ReadOnlyMemory<byte> key = await owner.FindKeyAsync(handshake.PskIdentity!, _end.Token).ConfigureAwait(false);
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

    private void Flush()
    {
        foreach (byte[] datagram in handshake.TakeOutput())
        {
            owner.Sink.Send(path, datagram);
        }
    }

    private void Finish()
    {
        lock (_gate)
        {
            _isOver = true;
            _queue.Clear();
        }

        if (handshake.Status == HandshakeStatus.Done)
        {
            owner.OnDone(this, handshake.Establish());
        }
        else
        {
            owner.OnFailed(this, handshake.Failure ?? "unknown");
        }

        handshake.Dispose();
    }
}
