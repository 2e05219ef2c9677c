using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Sessions as they are saved: a name of the format, a nonce, a tag, and the rest encrypted by AES-GCM.</summary>
internal static class SavedSessions
{
    private const int NonceLength = 12;
    private const int TagLength = 16;

    // What this process loaded, by tag: to load it again would use nonces again.
    private static readonly ConcurrentDictionary<UInt128, bool> s_loaded = new();

    private static ReadOnlySpan<byte> Format => "CoAP.NET DTLS 1\n"u8;

    /// <summary>What encrypts and decrypts.</summary>
    /// <param name="key">16, 24 or 32 bytes.</param>
    /// <exception cref="CryptographicException">The key has another length.</exception>
    public static AesGcm CipherOf(ReadOnlySpan<byte> key) => new(key, TagLength);

    /// <summary>Encrypts.</summary>
    /// <param name="plain">What is to be saved.</param>
    /// <param name="cipher">Encrypts it.</param>
    /// <param name="random">Where the nonce comes from.</param>
    /// <returns>What is to be kept.</returns>
    public static byte[] Seal(ReadOnlySpan<byte> plain, AesGcm cipher, CoapRandomSource random)
    {
        byte[] data = new byte[Format.Length + NonceLength + TagLength + plain.Length];
        Format.CopyTo(data);
        Span<byte> nonce = data.AsSpan(Format.Length, NonceLength);
        random.Fill(nonce);
        cipher.Encrypt(nonce, plain, data.AsSpan(Format.Length + NonceLength + TagLength),
            data.AsSpan(Format.Length + NonceLength, TagLength), Format);
        return data;
    }

    /// <summary>Decrypts, once.</summary>
    /// <param name="data">What was kept.</param>
    /// <param name="key">The key that it was encrypted with.</param>
    /// <returns>What was saved; to be overwritten after use.</returns>
    /// <exception cref="CryptographicException">The key has another length than keys have.</exception>
    /// <exception cref="InvalidDataException">It is no such data, was changed, or the key is another.</exception>
    /// <exception cref="InvalidOperationException">It was loaded before.</exception>
    public static byte[] Open(ReadOnlySpan<byte> data, ReadOnlySpan<byte> key)
    {
        using AesGcm cipher = CipherOf(key);
        if (data.Length < Format.Length + NonceLength + TagLength || !data.StartsWith(Format))
        {
            throw new InvalidDataException("These are no saved sessions, or of another version.");
        }

        ReadOnlySpan<byte> tag = data.Slice(Format.Length + NonceLength, TagLength);
        ReadOnlySpan<byte> encrypted = data[(Format.Length + NonceLength + TagLength)..];
        byte[] plain = new byte[encrypted.Length];
        try
        {
            cipher.Decrypt(data.Slice(Format.Length, NonceLength), encrypted, tag, plain, Format);
        }
        catch (AuthenticationTagMismatchException exception)
        {
            throw new InvalidDataException("The saved sessions were changed, or the key is not theirs.", exception);
        }

        if (s_loaded.TryAdd(BinaryPrimitives.ReadUInt128LittleEndian(tag), true))
        {
            return plain;
        }

        CryptographicOperations.ZeroMemory(plain);
        throw new InvalidOperationException(
            "These sessions were loaded before. To load them twice would use numbers of records twice, and so give their keys away.");
    }

    /// <summary>Reads one that was saved.</summary>
    /// <param name="reader">Where from.</param>
    /// <param name="age">How long ago it was saved.</param>
    /// <param name="home">Who finds it.</param>
    /// <returns>The session.</returns>
    /// <exception cref="InvalidDataException">This was not saved by <see cref="DtlsSession.TrySave"/>.</exception>
    public static DtlsSession Read(ref StateReader reader, TimeSpan age, IDtlsSessionHome home)
    {
        RecordLayer records = RecordLayer.Load(ref reader);
        DtlsPath path = new(reader.ReadAddress(), reader.ReadAddress(), (int)reader.ReadNumber());
        TimeSpan idle = new(reader.ReadNumber());
        string? identity = reader.ReadText();
        ReadOnlySpan<byte> certificate = reader.ReadBytes();
        byte[] publicKey = reader.ReadBytes().ToArray();
        try
        {
            X509Certificate2? leaf = certificate.IsEmpty ? null : X509CertificateLoader.LoadCertificate(certificate);
            Established established = new(records, [], 0, identity, leaf) { PeerPublicKey = publicKey };
            return new DtlsSession(established, path, home, isInitiator: false, null) { WasIdleFor = idle + age };
        }
        catch (CryptographicException exception)
        {
            records.Clear();
            throw new InvalidDataException("A saved session has a certificate that cannot be read.", exception);
        }
    }
}
