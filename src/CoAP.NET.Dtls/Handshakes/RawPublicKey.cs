using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Reads raw public keys: one SubjectPublicKeyInfo in DER (RFC 7250 section 3).</summary>
internal static class RawPublicKey
{
    /// <summary>Reads an ECDSA key.</summary>
    /// <param name="bytes">The SubjectPublicKeyInfo.</param>
    /// <returns>The key, which the caller disposes.</returns>
    /// <exception cref="CryptographicException">
    /// The bytes are not such a key, or not its only encoding: .NET also reads other ones (BER) and ignores bytes behind the key, but the
    /// hash of the bytes is the identity of a peer, and it must have only one.
    /// </exception>
    public static ECDsa Read(ReadOnlySpan<byte> bytes)
    {
        ECDsa key = ECDsa.Create();
        try
        {
            Import(key, bytes);
            if (!key.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(bytes))
            {
                throw new CryptographicException("The raw public key is not encoded in DER, or bytes follow it.");
            }

            return key;
        }
        catch
        {
            key.Dispose();
            throw;
        }
    }

    private static void Import(ECDsa key, ReadOnlySpan<byte> bytes)
    {
        try
        {
            key.ImportSubjectPublicKeyInfo(bytes, out _);
        }
        catch (PlatformNotSupportedException exception)
        {
            throw new CryptographicException("The raw public key is on a curve that the platform does not have.", exception);
        }
    }
}
