using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Bench;

/// <summary>
/// A client's end of DTLS sessions, one after another, without a socket: it takes and gives datagrams. Not more than what RFC 6347 asks
/// for, so that it costs the machine little beside the server that is measured.
/// </summary>
/// <param name="identity">Its PSK identity; null for <see cref="SecureClient.Identity"/>.</param>
internal sealed class SecurePeer(SecureClient client, string? identity = null) : IDisposable
{
    private const byte CloseNotify = 0;
    private const byte Warning = 1;

    private ClientHandshake? _handshake;
    private RecordLayer? _records;

    /// <summary>Whether a handshake is under way.</summary>
    public bool IsConnecting => _handshake is not null;

    /// <summary>Begins a session; the one before is forgotten.</summary>
    /// <returns>What is to be sent.</returns>
    public IReadOnlyList<byte[]> Begin()
    {
        Forget();
        _handshake = client.Open(identity ?? SecureClient.Identity);
        _handshake.Start(null);
        return _handshake.TakeOutput();
    }

    /// <summary>Takes a datagram of the handshake.</summary>
    /// <returns>What is to be sent.</returns>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    public IReadOnlyList<byte[]> Take(ReadOnlySpan<byte> datagram)
    {
        ClientHandshake handshake = _handshake!;
        handshake.Receive(datagram);
        handshake.AskAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();
        IReadOnlyList<byte[]> output = handshake.TakeOutput();
        if (handshake.Status == HandshakeStatus.Done)
        {
            _records = handshake.Establish().Records;
            handshake.Dispose();
            _handshake = null;
        }

        return handshake.Status == HandshakeStatus.Failed
            ? throw new InvalidOperationException($"The handshake failed: {handshake.Failure}")
            : output;
    }

    /// <summary>What is to be sent again, as nothing was heard for a second.</summary>
    public IReadOnlyList<byte[]> Look()
    {
        if (_handshake is null || _handshake.NextTimeout() > TimeSpan.Zero)
        {
            return [];
        }

        _handshake.OnTimeout();
        return _handshake.TakeOutput();
    }

    /// <summary>Makes a record of a message.</summary>
    /// <returns>Its bytes.</returns>
    public int Seal(ReadOnlySpan<byte> message, Span<byte> record) => _records!.Seal(ContentType.ApplicationData, message, record);

    /// <summary>Makes the record by which a session ends.</summary>
    /// <returns>Its bytes.</returns>
    public int SealClose(Span<byte> record) => _records!.Seal(ContentType.Alert, [Warning, CloseNotify], record);

    /// <summary>Opens a datagram of one record, in place.</summary>
    /// <returns>The message; empty when there is none.</returns>
    public Span<byte> Open(Span<byte> datagram) =>
        _records is { } records && RecordHeader.TryRead(datagram, 0, out RecordHeader header)
            && records.Open(header, datagram[..(header.HeaderLength + header.Length)], out ContentType type, out Range content,
                out _) == RecordOpenResult.Opened
            && type == ContentType.ApplicationData
            ? datagram[content]
            : default;

    /// <summary>Has no session any more, and tells nobody.</summary>
    public void Forget()
    {
        _handshake?.Dispose();
        _handshake = null;
        _records?.Clear();
        _records = null;
    }

    public void Dispose() => Forget();
}
