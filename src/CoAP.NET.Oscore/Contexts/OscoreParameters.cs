using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore;

/// <summary>
/// The parameters on which both peers of a security context have agreed (RFC 8613 section 3.2): the secret, the two IDs, and the
/// algorithms.
/// </summary>
/// <remarks>
/// All keys derive from them. The object copies secret and salt, and <see cref="Dispose"/> wipes them; nothing here writes them to a log or
/// a text. The combination of Master Secret, Master Salt, ID Context and Sender ID must be unique, also over time: two contexts with the
/// same one have the same key and nonces, which lets an eavesdropper read both (RFC 8613 section 3.3).
/// </remarks>
public sealed class OscoreParameters : IDisposable
{
    /// <summary>The default of <see cref="WindowSize"/>.</summary>
    internal const int DefaultWindowSize = 64;

    internal const int MaxWindowSize = 4096;

    // The option has one byte for its length, and 255 bytes together with flags and Partial IV (RFC 8613 section 6.1).
    private const int MaxIdContextLength = 240;

    private byte[] _masterSecret;
    private readonly byte[] _senderId;
    private readonly byte[] _recipientId;
    private byte[] _masterSalt = [];
    private readonly byte[]? _idContext;
    private readonly int _windowSize = DefaultWindowSize;
    private bool _isWiped;

    /// <summary>Creates the parameters of one end. For the other end, exchange the two IDs.</summary>
    /// <param name="masterSecret">The shared secret, of high entropy: a key, not a password. At least 1 byte; use 16 or more.</param>
    /// <param name="senderId">
    /// The ID of this end; may be empty. It does not depend on the role: a server that sends a request uses the same.
    /// </param>
    /// <param name="recipientId">The ID of the other end; may be empty, and differs from <paramref name="senderId"/>.</param>
    /// <param name="algorithm">The AEAD algorithm; null for AES-CCM-16-64-128.</param>
    /// <exception cref="ArgumentException">The secret is empty, an ID has more bytes than the nonce of the algorithm less 6, or
    /// both
    /// IDs are equal.</exception>
    public OscoreParameters(
        ReadOnlySpan<byte> masterSecret, ReadOnlySpan<byte> senderId, ReadOnlySpan<byte> recipientId, OscoreAlgorithm? algorithm = null)
    {
        Algorithm = algorithm ?? OscoreAlgorithm.AesCcm16With64BitTag128;
        if (masterSecret.IsEmpty)
        {
            throw new ArgumentException("The Master Secret is empty; it is a key of 16 bytes or more.", nameof(masterSecret));
        }

        ThrowIfTooLong(senderId, "Sender ID", nameof(senderId));
        ThrowIfTooLong(recipientId, "Recipient ID", nameof(recipientId));
        if (senderId.SequenceEqual(recipientId))
        {
            throw new ArgumentException(
                "Sender ID and Recipient ID are equal; both ends would encrypt with one key and the same nonces (RFC 8613 section 3.3).",
                nameof(recipientId));
        }

        _masterSecret = masterSecret.ToArray();
        _senderId = senderId.ToArray();
        _recipientId = recipientId.ToArray();
    }

    /// <summary>The ID of this end, 0 bytes to the length of the nonce less 6; the <c>kid</c> of its requests.</summary>
    public ReadOnlyMemory<byte> SenderId => _senderId;

    /// <summary>The ID of the other end, 0 bytes to the length of the nonce less 6.</summary>
    public ReadOnlyMemory<byte> RecipientId => _recipientId;

    /// <summary>The Master Salt; copied. Empty by default.</summary>
    public ReadOnlyMemory<byte> MasterSalt
    {
        internal get => _masterSalt;
        init => _masterSalt = value.ToArray();
    }

    /// <summary>The ID Context, which distinguishes contexts with the same IDs.</summary>
    /// <exception cref="ArgumentException">It has more than 240 bytes.</exception>
    /// <remarks>0 to 240 bytes, copied. Null, the default, means none, which derives other keys than an empty one.</remarks>
    public byte[]? IdContext
    {
        // An array, because null would silently become an empty ReadOnlyMemory, and derive other keys.
        get => (byte[]?)_idContext?.Clone();
        init
        {
            if (value is { Length: > MaxIdContextLength })
            {
                throw new ArgumentException(
                    $"The ID Context has {value.Length} bytes; the OSCORE option has room for {MaxIdContextLength}.", nameof(value));
            }

            _idContext = (byte[]?)value?.Clone();
        }
    }

    /// <summary>Whether there is an ID Context, which may be empty.</summary>
    internal bool HasIdContext => _idContext is not null;

    /// <summary>The ID of the other end; do not modify it.</summary>
    internal byte[] RecipientKid => _recipientId;

    /// <summary>The ID of this end; do not modify it.</summary>
    internal byte[] SenderKid => _senderId;

    /// <summary>The ID Context, or null; do not modify it.</summary>
    internal byte[]? IdContextOrNull => _idContext;

    /// <summary>The ID Context; empty if there is none.</summary>
    internal ReadOnlySpan<byte> IdContextBytes => _idContext;

    /// <summary>The AEAD algorithm. AES-CCM-16-64-128 by default.</summary>
    public OscoreAlgorithm Algorithm { get; }

    /// <summary>The hash of HKDF, by which keys are derived (RFC 8613 section 3.2): SHA-256, SHA-384 or SHA-512.</summary>
    /// <exception cref="ArgumentException">It is another hash.</exception>
    /// <remarks>Default <see cref="HashAlgorithmName.SHA256"/>, which all implementations have.</remarks>
    public HashAlgorithmName HkdfHash
    {
        get => Hkdf.Hash;
        init => Hkdf = OscoreHkdf.All.FirstOrDefault(one => one.Hash == value)
            ?? throw new ArgumentException($"HKDF is supported with SHA-256, SHA-384 and SHA-512, and not with '{value}'.", nameof(value));
    }

    internal OscoreHkdf Hkdf { get; init; } = OscoreHkdf.Sha256;

    /// <summary>
    /// The size of the replay window: how far a request may be behind the highest received number and still be accepted (RFC 8613 section
    /// 3.2.2).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1 or more than 4,096.</exception>
    /// <remarks>
    /// 1 to 4,096, default 64. It allows requests to overtake each other. The endpoint rejects later requests as replays.
    /// </remarks>
    public int WindowSize
    {
        get => _windowSize;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxWindowSize);
            _windowSize = value;
        }
    }

    /// <summary>The Master Secret.</summary>
    /// <exception cref="ObjectDisposedException">The secret is already wiped.</exception>
    internal ReadOnlySpan<byte> MasterSecret
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isWiped, this);
            return _masterSecret;
        }
    }

    /// <summary>Wipes the Master Secret and the Master Salt. Contexts that exist already keep their keys.</summary>
    public void Dispose()
    {
        _isWiped = true;
        CryptographicOperations.ZeroMemory(_masterSecret);
        CryptographicOperations.ZeroMemory(_masterSalt);

        // A context keeps its parameters for the IDs.
        (_masterSecret, _masterSalt) = ([], []);
    }

    /// <summary>Returns the IDs and the algorithm, without any secret.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"sender {Hex(_senderId)}, recipient {Hex(_recipientId)}"
            + $"{(_idContext is null ? "" : $", ID Context {Hex(_idContext)}")}, {Algorithm}";

    private static string Hex(byte[] id) => id.Length == 0 ? "(empty)" : Convert.ToHexStringLower(id);

    private void ThrowIfTooLong(ReadOnlySpan<byte> id, string what, string parameter)
    {
        if (id.Length > Algorithm.MaxIdLength)
        {
            throw new ArgumentException(
                $"The {what} has {id.Length} bytes; {Algorithm.Name} leaves room for {Algorithm.MaxIdLength} in its nonce.", parameter);
        }
    }
}
