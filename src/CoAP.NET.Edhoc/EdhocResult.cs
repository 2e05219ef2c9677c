using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Schedule;
using CoAP.NET.Edhoc.Suites;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Contexts;
using CoAP.NET.Oscore.Endpoints;

namespace CoAP.NET.Edhoc;

/// <summary>The result of EDHOC: the peer's identity, and the key from which others derive (RFC 9528 section 4.2).</summary>
/// <remarks>
/// Thread-safe. Dispose it as soon as you have derived the keys that you need, which wipes its key. Do not keep keys beyond the run of the
/// program (section 9.8).
/// </remarks>
public sealed class EdhocResult : IDisposable
{
    private const int UpdateLabel = 11;
    private const int MasterSecretLabel = 0;
    private const int MasterSaltLabel = 1;
    private const int MasterSaltLength = 8;
    private readonly Lock _gate = new();
    private readonly byte[] _outKey;
    private readonly byte[] _exporter;
    private bool _isDisposed;

    internal EdhocResult(EdhocRole role, EdhocMethod method, EdhocCipherSuite suite, byte[] outKey)
    {
        (Role, Method, CipherSuite, _outKey) = (role, method, suite, outKey);
        _exporter = KeySchedule.Exporter(suite, outKey);
    }

    /// <summary>The role of this side.</summary>
    internal EdhocRole Role { get; }

    /// <summary>The authentication method.</summary>
    public EdhocMethod Method { get; }

    /// <summary>The cipher suite.</summary>
    public EdhocCipherSuite CipherSuite { get; }

    /// <summary>The credential of the peer, which has proved that it has the private key.</summary>
    public EdhocCredential PeerCredential { get; internal init; } = null!;

    internal EdhocOwnCredential OwnCredential { get; init; } = null!;

    /// <summary>The application's identity of the peer: <see cref="EdhocCredential.Identity"/>, otherwise the credential.</summary>
    public object PeerIdentity => PeerCredential.Identity ?? PeerCredential;

    /// <summary>The connection identifier of this side, which is its Recipient ID in OSCORE.</summary>
    internal ReadOnlyMemory<byte> OwnConnectionId { get; init; }

    /// <summary>The connection identifier of the peer, which is the Sender ID of this side in OSCORE.</summary>
    internal ReadOnlyMemory<byte> PeerConnectionId { get; init; }

    /// <summary>
    /// External authorization data of the peer, with labels that the application knows: EAD_2 and EAD_4, or EAD_1 and EAD_3.
    /// </summary>
    internal IReadOnlyList<EdhocEad> PeerEad { get; set; } = [];

    /// <summary>Whether the peer has proved that it has the same keys: always for a Responder; for an Initiator after message_4.</summary>
    /// <remarks>Without message_4, the first OSCORE message that verifies proves it (RFC 9528 section 5.4.2).</remarks>
    public bool IsConfirmed { get; internal set; }

    /// <summary>Derives a key: EDHOC_Exporter (RFC 9528 section 4.2.1).</summary>
    /// <param name="label">The registered label, 0 or more; 32,768 to 65,535 is for private use.</param>
    /// <param name="context">The context.</param>
    /// <param name="length">The length of the key in bytes, 1 to 255 times the length of the hash.</param>
    /// <returns>The key. Wipe it after use.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The label or the length is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The session is disposed.</exception>
    public byte[] Export(int label, ReadOnlySpan<byte> context, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(label);
        ArgumentOutOfRangeException.ThrowIfLessThan(length, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, CipherSuite.Hash.MaxExpanded);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return KeySchedule.Derive(CipherSuite, _exporter, label, context, length);
        }
    }

    /// <summary>Derives the parameters of OSCORE (RFC 9528 appendix A.1).</summary>
    /// <returns>The parameters. Dispose them when the security context exists.</returns>
    /// <exception cref="EdhocException">An identifier is too long for the AEAD algorithm, or OSCORE has no HKDF with the hash of the
    /// suite: 25.</exception>
    /// <exception cref="ObjectDisposedException">The session is disposed.</exception>
    /// <remarks>
    /// Master Secret and Master Salt, the AEAD algorithm of the suite, and the connection identifiers as IDs. The Sender ID is the
    /// identifier that the peer chose, in both roles.
    /// </remarks>
    internal OscoreParameters ExportOscore()
    {
        OscoreAlgorithm? algorithm = OscoreAlgorithm.Find(CipherSuite.ApplicationAead);
        OscoreHkdf? hkdf = CipherSuite.Hash == HashFunction.Sha256 ? OscoreHkdf.Sha256
            : CipherSuite.Hash == HashFunction.Sha384 ? OscoreHkdf.Sha384
            : null;
        if (algorithm is null || hkdf is null)
        {
            throw new EdhocException(
                $"OSCORE has no HKDF with {CipherSuite.Hash.Name}, which cipher suite {CipherSuite.Number} requires. Use another suite.");
        }

        if (Math.Max(PeerConnectionId.Length, OwnConnectionId.Length) > algorithm.MaxIdLength)
        {
            throw new EdhocException(
                $"A connection identifier is too long for OSCORE: {algorithm.Name} allows {algorithm.MaxIdLength} bytes.");
        }

        byte[] secret = Export(MasterSecretLabel, [], algorithm.KeyLength);
        byte[] salt = Export(MasterSaltLabel, [], MasterSaltLength);
        try
        {
            return new OscoreParameters(secret, PeerConnectionId.Span, OwnConnectionId.Span, algorithm)
            {
                MasterSalt = salt,
                Hkdf = hkdf,
            };
        }
        finally
        {
            CryptographicOperations.ZeroMemory(secret);
            CryptographicOperations.ZeroMemory(salt);
        }
    }

    /// <summary>
    /// Creates an OSCORE security context, whose peers have <see cref="PeerIdentity"/> as <see cref="OscoreIdentity.Owner"/>.
    /// </summary>
    /// <returns>The context; add it to the <see cref="OscoreContexts"/> of an endpoint.</returns>
    /// <exception cref="EdhocException">OSCORE has no algorithm or key derivation for the cipher suite.</exception>
    /// <exception cref="ObjectDisposedException">The session is disposed.</exception>
    /// <remarks>Its keys are new with each session, so it needs no store for its numbers.</remarks>
    public OscoreContext CreateContext() => CreateContext(null);

    internal OscoreContext CreateContext(OscoreKeyExchangeLastMessage? exchange)
    {
        using OscoreParameters parameters = ExportOscore();
        return OscoreContext.CreateVolatile(
            parameters, PeerIdentity, exchange ?? (IsConfirmed ? null : new UnconfirmedClientSession(this)));
    }

    /// <summary>Replaces the keys without a new exchange: EDHOC_KeyUpdate (RFC 9528 appendix H).</summary>
    /// <param name="context">A value on which both sides agreed, such as a random number that one of them sent protected.</param>
    /// <exception cref="ObjectDisposedException">The session is disposed.</exception>
    /// <remarks>Both sides have to do it with the same context. The keys exported earlier cannot be exported again.</remarks>
    internal void UpdateKeys(ReadOnlySpan<byte> context)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            Replace(_outKey, KeySchedule.Derive(CipherSuite, _outKey, UpdateLabel, context, CipherSuite.Hash.Length));
            Replace(_exporter, KeySchedule.Exporter(CipherSuite, _outKey));
        }
    }

    /// <summary>Wipes the keys.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_outKey);
            CryptographicOperations.ZeroMemory(_exporter);
        }
    }

    private static void Replace(byte[] key, byte[] next)
    {
        next.CopyTo(key, 0);
        CryptographicOperations.ZeroMemory(next);
    }
}
