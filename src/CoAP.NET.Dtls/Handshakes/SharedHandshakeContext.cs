using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The settings and secrets that all handshakes of an endpoint in one role share. Thread-safe.</summary>
internal sealed class SharedHandshakeContext
{
    private readonly Lock _gate = new();
    private readonly int _keySize;

    /// <summary>Creates a context.</summary>
    /// <param name="settings">The settings that its handshakes share.</param>
    /// <exception cref="InvalidOperationException">The credentials are not suitable; the message gives the reason.</exception>
    public SharedHandshakeContext(HandshakeSettings settings)
    {
        Settings = settings;
        if (settings is { RawPublicKey: not null, Certificate: not null })
        {
            throw new InvalidOperationException("An endpoint presents a certificate or a raw public key, not both. Leave one of them out.");
        }

        if (settings is { Certificate: { HasPrivateKey: false } certificate, Signer: null })
        {
            throw new InvalidOperationException(
                $"The certificate {certificate.Subject} has no private key. coaps needs a certificate loaded together with its key.");
        }

        using ECDsa? owned = settings.Certificate?.GetECDsaPublicKey();
        _keySize = (owned ?? settings.RawPublicKey)?.KeySize ?? settings.Signer?.KeySize ?? 0;

        PublicKey = settings.RawPublicKey?.ExportSubjectPublicKeyInfo() ?? settings.Signer?.PublicKey ?? [];
        Rules = Sha256.HashData(RulesOf(settings));
    }

    public HandshakeSettings Settings { get; }

    /// <summary>Whether handshakes negotiate Connection IDs.</summary>
    public bool HasCid => Settings.OwnCidLength >= 0;

    /// <summary>The own raw public key: SubjectPublicKeyInfo in DER; empty without one.</summary>
    public byte[] PublicKey { get; }

    /// <summary>
    /// A digest of the rules about clients: a session that began under other rules does not resume under these, whichever servers share
    /// the store.
    /// </summary>
    public byte[] Rules { get; }

    /// <summary>Whether this end has a key that signs.</summary>
    public bool CanSign => _keySize > 0;

    /// <summary>Whether the own key is in a group of the peer, which RFC 8422 section 5.3 asks of certificates.</summary>
    /// <param name="offered">The groups of the peer; empty: it named none.</param>
    public bool HasKeyIn(ReadOnlySpan<byte> offered) => offered.IsEmpty || NumberList.Contains(offered, EphemeralKey.GroupOf(_keySize));

    /// <summary>Chooses the algorithms of a signature by the own key.</summary>
    /// <param name="offered">The pairs that the peer accepts; empty: it named none.</param>
    /// <returns>The pair; null if there is none, or no key.</returns>
    public ushort? ChooseScheme(ReadOnlySpan<byte> offered) => _keySize > 0 ? SignatureScheme.Choose(_keySize, offered) : null;

    /// <summary>Signs a hash with the own key.</summary>
    /// <param name="hash">The hash.</param>
    public byte[] Sign(byte[] hash)
    {
        using ECDsa? owned = Settings.Certificate?.GetECDsaPrivateKey();
        if (owned is not null)
        {
            return owned.SignHash(hash, DSASignatureFormat.Rfc3279DerSequence);
        }

        // The key of the application need not be thread-safe.
        lock (_gate)
        {
            return Settings.RawPublicKey!.SignHash(hash, DSASignatureFormat.Rfc3279DerSequence);
        }
    }

    private static byte[] RulesOf(HandshakeSettings settings) =>
    [
        .. "coaps 3"u8,
        settings.RequiresClientCertificate ? (byte)1 : (byte)0,
        settings.RequestsClientCertificate ? (byte)1 : (byte)0,
        settings.TakesRawPublicKeys ? (byte)1 : (byte)0,
        settings.RequiresExtendedMasterSecret ? (byte)1 : (byte)0,
        .. settings.Trust.Span,
    ];
}
