namespace CoAP.NET.Edhoc.Keys;

/// <summary>A private key, whatever does the mathematics.</summary>
internal interface IPrivateKey : IDisposable
{
    EdhocPublicKey PublicKey { get; }

    /// <summary>The shared secret with a public key, which of a NIST curve is an x coordinate (RFC 9528 section 4.1.1.1).</summary>
    /// <exception cref="EdhocException">The public key is none.</exception>
    byte[] Agree(ReadOnlySpan<byte> peer);

    byte[] Sign(ReadOnlySpan<byte> data);
}
