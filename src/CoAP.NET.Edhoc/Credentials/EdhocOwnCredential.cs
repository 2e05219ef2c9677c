namespace CoAP.NET.Edhoc;

/// <summary>A side's own credential: the credential, its identification for the peer, and the private key.</summary>
public sealed class EdhocOwnCredential
{
    /// <summary>Combines the three.</summary>
    /// <param name="credential">The credential.</param>
    /// <param name="id">The identification for the peer.</param>
    /// <param name="key">The private key that belongs to the credential. It is not copied, and the caller disposes it.</param>
    /// <exception cref="ArgumentException">The key does not belong to the credential.</exception>
    public EdhocOwnCredential(EdhocCredential credential, EdhocCredentialId id, EdhocPrivateKey key)
    {
        ArgumentNullException.ThrowIfNull(credential);
        ArgumentNullException.ThrowIfNull(id);
        ArgumentNullException.ThrowIfNull(key);
        if (key.Curve != credential.PublicKey.Curve || !key.PublicKey.X.Span.SequenceEqual(credential.PublicKey.X.Span))
        {
            throw new ArgumentException("The private key does not belong to the credential.", nameof(key));
        }

        (Credential, Id, Key) = (credential, id, key);
    }

    /// <summary>The credential.</summary>
    public EdhocCredential Credential { get; }

    /// <summary>The identification for the peer.</summary>
    public EdhocCredentialId Id { get; }

    internal EdhocPrivateKey Key { get; }

    /// <summary>Creates one from a claims set that the peer already has and finds by its kid.</summary>
    /// <param name="claims">The claims set, a CBOR map with a kid in its key, exactly as the peer has it.</param>
    /// <param name="key">The private key.</param>
    /// <returns>The credential with its kid.</returns>
    /// <exception cref="EdhocException">It is not a claims set with a key and a kid.</exception>
    /// <exception cref="ArgumentException">The key does not belong to the credential.</exception>
    public static EdhocOwnCredential ByKeyId(ReadOnlySpan<byte> claims, EdhocPrivateKey key)
    {
        EdhocCredential credential = EdhocCredential.OfCcs(claims);
        ReadOnlyMemory<byte> keyId = credential.KeyId ?? throw new EdhocException("The claims set has no kid to identify it.");
        return new EdhocOwnCredential(credential, EdhocCredentialId.OfKeyId(keyId.Span), key);
    }

    /// <summary>Whether it can authenticate in a suite.</summary>
    /// <param name="suite">The suite.</param>
    /// <param name="isStatic">True to authenticate with a static Diffie-Hellman key; false to sign.</param>
    internal bool Fits(EdhocCipherSuite suite, bool isStatic) =>
        isStatic ? Key.CanAgree && Key.Curve == suite.Curve : Key.CanSign && Key.Curve == suite.SignatureCurve;
}
