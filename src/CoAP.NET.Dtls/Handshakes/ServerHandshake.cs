using System.Runtime.InteropServices;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A server's end of a handshake, for a client that has shown by a cookie that its address is real.</summary>
internal sealed partial class ServerHandshake : Handshake
{
    private const int MessageBits = 32;

    // RFC 5246 section 7.4: ClientHello, Certificate, CertificateVerify, ClientKeyExchange
    private const uint ClientMessages = (1u << 1) | (1u << 11) | (1u << 15) | (1u << 16);

    private readonly PskIdentityReader _identity = new();
    private readonly List<ReadOnlyMemory<byte>> _waiting = [];
    private readonly Func<byte[]>? _makeCid;
    private ulong _nextPlain;

    /// <summary>Prepares one; <see cref="Start"/> begins it.</summary>
    /// <param name="context">What handshakes of its endpoint have in common.</param>
    /// <param name="makeCid">Makes a Connection ID when the client knows of them; null: none are given out.</param>
    public ServerHandshake(HandshakeContext context, Func<byte[]>? makeCid)
        : base(context, ownCid: null)
    {
        _makeCid = context.HasCid ? makeCid : null;
        LibSsl.SSL_set_accept_state(Ssl);
    }

    /// <summary>Whether it has its ClientHello.</summary>
    public bool IsStarted { get; private set; }

    /// <summary>Takes the ClientHello whose cookie was checked.</summary>
    /// <param name="clientHello">The datagram.</param>
    public void Start(ReadOnlySpan<byte> clientHello)
    {
        IsStarted = true;
        _nextPlain = RecordHeader.TryRead(clientHello, 0, out RecordHeader header) ? header.Sequence + 1 : 0;

        // Of all ways to begin only this one lets OpenSSL expect the numbers of a handshake that had a cookie.
        LibCrypto.ERR_clear_error();
        nint address = LibCrypto.BIO_ADDR_new();
        int result = Listen(clientHello.ToArray(), address);
        LibCrypto.BIO_ADDR_free(address);
        if (result == 1)
        {
            Step();
        }
        else
        {
            Fail(LibCrypto.TakeError() is { Length: > 0 } error ? error : "This is no ClientHello with a cookie.");
        }
    }

    /// <summary>Gives the key that was asked for.</summary>
    /// <param name="key">The key of <see cref="Handshake.PskIdentity"/>. For an identity that nobody knows give a random one: so nobody learns which are known.</param>
    public void GiveKey(ReadOnlySpan<byte> key)
    {
        if (Status != HandshakeStatus.WantsKey)
        {
            return;
        }

        SetPreSharedKey(key);
        Status = HandshakeStatus.Running;
        ReadOnlyMemory<byte>[] waiting = [.. _waiting];
        _waiting.Clear();
        foreach (ReadOnlyMemory<byte> record in waiting)
        {
            Feed(record);
        }

        FeedHeld();
    }

    public override byte[]? CidToSend() => PeerCid is null || _makeCid is null ? null : OwnCid ??= _makeCid();

    protected override bool TakesPlain(in RecordHeader header, ReadOnlyMemory<byte> record)
    {
        // Anybody can send alerts without protection; a client that has given up is noticed by the deadline. What a client never says would end the handshake as well.
        ReadOnlySpan<byte> content = record.Span.Slice(header.HeaderLength, header.Length);
        if (header.Type == ContentType.Alert || (header.Type == ContentType.Handshake && (content[0] >= MessageBits || (ClientMessages & (1u << content[0])) == 0)))
        {
            return false;
        }

        // Numbers of unprotected records are anybody's to choose: a high one would have OpenSSL take all that follow for old. The messages in them have numbers of their own.
        RecordHeader renumbered = new(header.Type, 0, _nextPlain++, 0, header.Length);
        renumbered.Write(MemoryMarshal.AsMemory(record).Span, []);

        if (Status == HandshakeStatus.WantsKey)
        {
            Hold(record);
            return false;
        }

        if (header.Type != ContentType.Handshake || PreSharedKey.Length > 0 || !UsesPreSharedKey || !PskIdentityReader.IsClientKeyExchange(record.Span))
        {
            return true;
        }

        // The identity stands in the clear; OpenSSL gets it when the key is there.
        Hold(record);
        if (_identity.TryRead(record.Span, out string? identity))
        {
            PskIdentity = identity;
            Status = HandshakeStatus.WantsKey;
        }

        return false;
    }

    private bool UsesPreSharedKey => LibSsl.SSL_get_pending_cipher(Ssl) is var cipher and not 0 && CipherSuite.Find((ushort)LibSsl.SSL_CIPHER_get_id(cipher))?.UsesPreSharedKey == true;

    private void Hold(ReadOnlyMemory<byte> record)
    {
        if (_waiting.Count < PskIdentityReader.MaxFragments)
        {
            _waiting.Add(record);
        }
    }

    private int Listen(byte[] clientHello, nint address)
    {
        SetInput(clientHello);
        return LibSsl.DTLSv1_listen(Ssl, address);
    }
}
