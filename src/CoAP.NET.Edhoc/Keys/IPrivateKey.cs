namespace CoAP.NET.Edhoc.Keys;

/// <summary>A private key, independent of the cryptographic library.</summary>
internal interface IPrivateKey : IDisposable
{
    EdhocPublicKey PublicKey { get; }

    bool CanSign { get; }

    bool CanAgree { get; }

    /// <summary>
    /// Computes the shared secret with a public key, which for a NIST curve is an x coordinate (RFC 9528 section 4.1.1.1).
    /// </summary>
    /// <exception cref="EdhocException">The public key is not valid.</exception>
    byte[] Agree(ReadOnlySpan<byte> peer);

    byte[] Sign(ReadOnlySpan<byte> data);
}
