using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// What a server keeps with a session about the credentials of its client, so that it can check them again when the session resumes or
/// continues in another process: a keyed hash of the pre-shared key, or the certificates that came with that of the client.
/// </summary>
internal static class ClientCredentialRecord
{
    // Both are shorter than usual because there may be very many sessions: the salt only makes the hashes of a key different, and no peer
    // chooses the hashed keys.
    private const int SaltLength = 8;
    private const int HashLength = 16;

    // With the leaf, as many as a chain may have elsewhere.
    private const int MaxCertificates = 8;

    /// <summary>Creates the keyed hash of a pre-shared key.</summary>
    /// <param name="random">The source of the key of the hash.</param>
    /// <param name="key">The pre-shared key.</param>
    public static byte[] OfKey(CoapRandomSource random, ReadOnlySpan<byte> key)
    {
        byte[] credentials = new byte[SaltLength + HashLength];
        random.Fill(credentials.AsSpan(0, SaltLength));
        Hash(credentials.AsSpan(0, SaltLength), key, credentials.AsSpan(SaltLength));
        return credentials;
    }

    /// <summary>Whether a pre-shared key is the one of <see cref="OfKey"/>. Takes the same time for all keys of a length.</summary>
    /// <param name="credentials">The keyed hash.</param>
    /// <param name="key">The key; empty for none.</param>
    public static bool IsOfKey(ReadOnlySpan<byte> credentials, ReadOnlySpan<byte> key)
    {
        if (key.IsEmpty || credentials.Length != SaltLength + HashLength)
        {
            return false;
        }

        Span<byte> hash = stackalloc byte[HashLength];
        Hash(credentials[..SaltLength], key, hash);
        return CryptographicOperations.FixedTimeEquals(hash, credentials[SaltLength..]);
    }

    /// <summary>Packs the certificates that lead from a certificate to its authority, without the certificate itself.</summary>
    /// <param name="serverName">The host name that the client requested, by which the server selects its rules; null for none.</param>
    /// <param name="leaf">The certificate.</param>
    /// <param name="sent">The certificates that came with it; others than those of the chain are left out.</param>
    public static byte[] OfCertificate(string? serverName, X509Certificate2 leaf, X509Certificate2Collection sent)
    {
        using StateWriter writer = new();
        writer.WriteText(serverName);
        List<X509Certificate2> chain = [leaf];
        for (int i = 0; i < chain.Count; i++)
        {
            foreach (X509Certificate2 one in sent)
            {
                if (chain.Count < MaxCertificates && IsIssuer(one, chain[i]) && !chain.Exists(known => IsSame(known, one)))
                {
                    chain.Add(one);
                    writer.WriteBytes(one.RawDataMemory.Span);
                }
            }
        }

        return writer.Written.ToArray();
    }

    /// <summary>Reads the result of <see cref="OfCertificate"/>.</summary>
    /// <param name="credentials">The bytes.</param>
    /// <returns>The requested host name, and the certificates.</returns>
    /// <exception cref="InvalidDataException">The bytes have another format.</exception>
    /// <exception cref="CryptographicException">A certificate is not readable.</exception>
    public static (string? ServerName, X509Certificate2Collection Sent) ReadCertificates(ReadOnlySpan<byte> credentials)
    {
        StateReader reader = new(credentials);
        string? serverName = reader.ReadText();
        X509Certificate2Collection sent = [];
        while (!reader.IsAtEnd)
        {
            sent.Add(X509CertificateLoader.LoadCertificate(reader.ReadBytes()));
        }

        return (serverName, sent);
    }

    private static void Hash(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> key, Span<byte> hash)
    {
        Span<byte> whole = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(salt, key, whole);
        whole[..HashLength].CopyTo(hash);
        CryptographicOperations.ZeroMemory(whole);
    }

    // Roots of a peer help nothing: the server has its own.
    private static bool IsIssuer(X509Certificate2 one, X509Certificate2 of) =>
        one.SubjectName.RawData.AsSpan().SequenceEqual(of.IssuerName.RawData)
        && !one.SubjectName.RawData.AsSpan().SequenceEqual(one.IssuerName.RawData);

    private static bool IsSame(X509Certificate2 one, X509Certificate2 other) =>
        one.RawDataMemory.Span.SequenceEqual(other.RawDataMemory.Span);
}
