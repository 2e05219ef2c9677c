namespace CoAP.NET.Edhoc;

/// <summary>What this side authenticates by: a credential, how the peer is told of it, and the private key.</summary>
public sealed class EdhocOwnCredential
{
    /// <summary>Puts the three together.</summary>
    /// <param name="credential">The credential.</param>
    /// <param name="id">How the peer is told of it.</param>
    /// <param name="key">The private key that belongs to the credential. It is used, not copied; whoever made it disposes it.</param>
    /// <exception cref="ArgumentException">The key is not that of the credential.</exception>
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

    /// <summary>How the peer is told of it.</summary>
    public EdhocCredentialId Id { get; }

    internal EdhocPrivateKey Key { get; }

    /// <summary>Makes one of a claims set that the peer has already and knows by the kid in it.</summary>
    /// <param name="claims">The claims set, a CBOR map with a kid in its key, exactly as the peer has it.</param>
    /// <param name="key">The private key.</param>
    /// <returns>The credential with its kid.</returns>
    /// <exception cref="EdhocException">It is no claims set with a key and a kid.</exception>
    /// <exception cref="ArgumentException">The key is not that of the credential.</exception>
    public static EdhocOwnCredential ByKeyId(ReadOnlySpan<byte> claims, EdhocPrivateKey key)
    {
        EdhocCredential credential = EdhocCredential.OfCcs(claims);
        ReadOnlyMemory<byte> keyId = credential.KeyId ?? throw new EdhocException("The claims set has no kid that it could be known by.");
        return new EdhocOwnCredential(credential, EdhocCredentialId.OfKeyId(keyId.Span), key);
    }

    /// <summary>Whether it can authenticate in a suite.</summary>
    /// <param name="suite">The suite.</param>
    /// <param name="isStatic">Whether as a static Diffie-Hellman key, and not by a signature.</param>
    internal bool Fits(EdhocCipherSuite suite, bool isStatic) => Key.Curve == (isStatic ? suite.Curve : suite.SignatureCurve);
}
