using System.Formats.Cbor;
using System.Security.Cryptography;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Credentials;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc;

/// <summary>
/// Identifies a credential, by reference or by value: the COSE header map ID_CRED_I or ID_CRED_R (RFC 9528 section 3.5.3).
/// </summary>
/// <remarks>From a peer it is only a claim until the credential is verified.</remarks>
public sealed class EdhocCredentialId
{
    private const int Sha256 = -16;
    private const int Sha256Short = -15;
    private const int MaxCertificates = 8;
    private readonly byte[] _encoded;

    private EdhocCredentialId(byte[] encoded) => _encoded = encoded;

    /// <summary>The header map in its hashed and signed form.</summary>
    public ReadOnlyMemory<byte> Encoded => _encoded;

    internal EdhocCredentialIdKind Kind { get; private init; }

    /// <summary>The kid; empty for other kinds.</summary>
    public ReadOnlyMemory<byte> KeyId { get; private init; }

    /// <summary>The hash algorithm of x5t, by its number in COSE: -15 is SHA-256 cut to 8 bytes, -16 SHA-256. 0 for other
    /// kinds.</summary>
    internal int HashAlgorithm { get; private init; }

    /// <summary>The hash of x5t; empty for other kinds.</summary>
    internal ReadOnlyMemory<byte> Hash { get; private init; }

    /// <summary>The certificates of x5chain and x5bag in DER; for x5chain the peer's own first.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Certificates { get; private init; } = [];

    /// <summary>The credential by value as a CBOR item: the claims set of kccs, the token of kcwt; empty for other kinds.</summary>
    internal ReadOnlyMemory<byte> Value { get; private init; }

    /// <summary>Whether it contains the credential itself, and not a reference.</summary>
    internal bool IsByValue => Kind is EdhocCredentialIdKind.Ccs or EdhocCredentialIdKind.Cwt or EdhocCredentialIdKind.CertificateChain
        or EdhocCredentialIdKind.CertificateBag;

    /// <summary>Creates a kid.</summary>
    /// <param name="keyId">The identifier; one byte of 00 to 17 or 20 to 37 is the shortest on the wire.</param>
    /// <returns>The identification.</returns>
    public static EdhocCredentialId OfKeyId(ReadOnlySpan<byte> keyId) =>
        Read([0xa1, 0x04, .. CborItemEncoder.Item(keyId)]);

    /// <summary>Creates an x5t.</summary>
    /// <param name="certificate">The certificate in DER.</param>
    /// <param name="isShort">Whether to truncate the hash to 8 bytes (SHA-256/64). Default true.</param>
    /// <returns>The identification.</returns>
    public static EdhocCredentialId OfCertificateHash(ReadOnlySpan<byte> certificate, bool isShort = true)
    {
        int algorithm = isShort ? Sha256Short : Sha256;
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartMap(1);
        writer.WriteInt32((int)EdhocCredentialIdKind.CertificateHash);
        writer.WriteStartArray(2);
        writer.WriteInt32(algorithm);
        writer.WriteByteString(HashOf(algorithm, certificate)!);
        writer.WriteEndArray();
        writer.WriteEndMap();
        return Read(writer.Encode());
    }

    /// <summary>Creates an x5chain.</summary>
    /// <param name="certificates">The certificates in DER, this side's own first; 1 to 8.</param>
    /// <returns>The identification.</returns>
    /// <exception cref="ArgumentException">There are none, or more.</exception>
    public static EdhocCredentialId OfCertificateChain(params ReadOnlySpan<ReadOnlyMemory<byte>> certificates)
    {
        if (certificates.Length is 0 or > MaxCertificates)
        {
            throw new ArgumentException($"A chain has 1 to {MaxCertificates} certificates.", nameof(certificates));
        }

        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartMap(1);
        writer.WriteInt32((int)EdhocCredentialIdKind.CertificateChain);
        if (certificates.Length > 1)
        {
            writer.WriteStartArray(certificates.Length);
        }

        foreach (ReadOnlyMemory<byte> certificate in certificates)
        {
            writer.WriteByteString(certificate.Span);
        }

        if (certificates.Length > 1)
        {
            writer.WriteEndArray();
        }

        writer.WriteEndMap();
        return Read(writer.Encode());
    }

    /// <summary>Creates a kccs.</summary>
    /// <param name="claims">The claims set, a CBOR map.</param>
    /// <returns>The identification.</returns>
    /// <exception cref="EdhocException">It is not CBOR, or not deterministic.</exception>
    public static EdhocCredentialId OfCcs(ReadOnlySpan<byte> claims) =>
        Read([0xa1, (byte)EdhocCredentialIdKind.Ccs, .. claims]);

    /// <summary>Creates a kcwt.</summary>
    /// <param name="token">The token, a CBOR array without a tag.</param>
    /// <returns>The identification.</returns>
    /// <exception cref="EdhocException">It is not CBOR, or not deterministic.</exception>
    public static EdhocCredentialId OfCwt(ReadOnlySpan<byte> token) =>
        Read([0xa1, (byte)EdhocCredentialIdKind.Cwt, .. token]);

    /// <summary>Reads a header map.</summary>
    /// <exception cref="EdhocException">It is not a header map, or not deterministic.</exception>
    internal static EdhocCredentialId Read(ReadOnlySpan<byte> encoded)
    {
        SequenceReader reader = new(encoded, "ID_CRED");
        int count = reader.ReadContainer(CborMajor.Map, "a header map");
        if (count == 0)
        {
            throw reader.Fault("is empty");
        }

        EdhocCredentialId? only = null;
        HashSet<string>? labels = count > 1 ? new HashSet<string>(StringComparer.Ordinal) : null;
        for (int i = 0; i < count; i++)
        {
            int start = reader.Position;
            bool isText = reader.Peek() == CborMajor.TextString;
            int label = 0;
            if (isText)
            {
                reader.ReadText("a label");
            }
            else
            {
                label = reader.ReadInt("a label");
            }

            // Unlike other maps, the labels need no order (RFC 9528 section 3.5.3).
            if (labels?.Add(Convert.ToHexString(encoded[start..reader.Position])) == false)
            {
                throw reader.Fault("has a label twice");
            }

            ReadOnlySpan<byte> value = reader.ReadItem();
            only = count == 1 && !isText ? Of(encoded.ToArray(), label, value) : null;
        }

        reader.End();
        return only ?? new EdhocCredentialId(encoded.ToArray());
    }

    /// <summary>Whether it is the x5t of a certificate.</summary>
    /// <returns>True if the hash is that of the certificate; false for other kinds and unsupported hash algorithms.</returns>
    internal bool IsHashOf(ReadOnlySpan<byte> certificate) =>
        Kind == EdhocCredentialIdKind.CertificateHash && HashOf(HashAlgorithm, certificate) is { } hash
            && CryptographicOperations.FixedTimeEquals(hash, Hash.Span);

    /// <summary>Returns the kind, and the bytes in hexadecimal digits if they are short.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => _encoded.Length <= 64 ? $"{Kind} {Convert.ToHexStringLower(_encoded)}" : $"{Kind}";

    /// <summary>Writes it in the form of a plaintext: a kid alone in the short form.</summary>
    internal byte[] ToPlaintext() => Kind == EdhocCredentialIdKind.KeyId ? Identifiers.Item(KeyId.Span) : _encoded;

    /// <summary>Reads it from a plaintext.</summary>
    internal static EdhocCredentialId ReadFrom(ref SequenceReader reader)
    {
        if (reader.Peek() != CborMajor.Map)
        {
            return OfKeyId(reader.ReadIdentifier("ID_CRED"));
        }

        EdhocCredentialId id = Read(reader.ReadItem());
        return id.Kind == EdhocCredentialIdKind.KeyId ? throw reader.Fault("has a map with a kid in place of the kid alone") : id;
    }

    private static EdhocCredentialId Of(byte[] encoded, int label, ReadOnlySpan<byte> value)
    {
        SequenceReader reader = new(value, "ID_CRED");
        EdhocCredentialIdKind kind = Enum.IsDefined((EdhocCredentialIdKind)label) ? (EdhocCredentialIdKind)label : default;
        switch (kind)
        {
            case EdhocCredentialIdKind.KeyId when reader.Peek() == CborMajor.ByteString:
                return new EdhocCredentialId(encoded) { Kind = kind, KeyId = reader.ReadBytes("a kid").ToArray() };
            case EdhocCredentialIdKind.CertificateHash:
                return ReadHash(encoded, ref reader);
            case EdhocCredentialIdKind.CertificateChain or EdhocCredentialIdKind.CertificateBag:
                return new EdhocCredentialId(encoded) { Kind = kind, Certificates = ReadCertificates(ref reader) };
            case EdhocCredentialIdKind.Ccs or EdhocCredentialIdKind.Cwt:
                return new EdhocCredentialId(encoded) { Kind = kind, Value = value.ToArray() };
            case EdhocCredentialIdKind.CertificateUri:
                return new EdhocCredentialId(encoded) { Kind = kind };
            default:
                return new EdhocCredentialId(encoded);
        }
    }

    private static EdhocCredentialId ReadHash(byte[] encoded, ref SequenceReader reader)
    {
        if (reader.ReadContainer(CborMajor.Array, "a hash") != 2)
        {
            throw reader.Fault("has no algorithm and hash in x5t");
        }

        // Algorithms may be texts (RFC 9360); the library supports none of those.
        int algorithm = 0;
        if (reader.Peek() == CborMajor.TextString)
        {
            reader.ReadItem();
        }
        else
        {
            algorithm = reader.ReadInt("a hash algorithm");
        }

        return new EdhocCredentialId(encoded)
        {
            Kind = EdhocCredentialIdKind.CertificateHash,
            HashAlgorithm = algorithm,
            Hash = reader.ReadBytes("a hash").ToArray(),
        };
    }

    private static ReadOnlyMemory<byte>[] ReadCertificates(ref SequenceReader reader)
    {
        if (reader.Peek() == CborMajor.ByteString)
        {
            return [reader.ReadBytes("a certificate").ToArray()];
        }

        int count = reader.ReadContainer(CborMajor.Array, "certificates");
        if (count is < 2 or > MaxCertificates)
        {
            throw reader.Fault($"has an array of {(count < 2 ? "fewer than 2" : $"more than {MaxCertificates}")} certificates");
        }

        ReadOnlyMemory<byte>[] certificates = new ReadOnlyMemory<byte>[count];
        for (int i = 0; i < count; i++)
        {
            certificates[i] = reader.ReadBytes("a certificate").ToArray();
        }

        return certificates;
    }

    private static byte[]? HashOf(int algorithm, ReadOnlySpan<byte> certificate) => algorithm switch
    {
        Sha256Short => SHA256.HashData(certificate)[..8],
        Sha256 => SHA256.HashData(certificate),
        -43 => SHA384.HashData(certificate),
        -44 => SHA512.HashData(certificate),
        _ => null,
    };
}
