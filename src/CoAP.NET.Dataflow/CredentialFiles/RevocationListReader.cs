using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.CredentialFiles;

/// <summary>Reads one certificate revocation list (RFC 5280 section 5.1).</summary>
internal sealed class RevocationListReader
{
    private const string DeltaIndicator = "2.5.29.27";
    private const string IssuingDistributionPoint = "2.5.29.28";
    private const int IndirectTag = 4;

    private static readonly Asn1Tag s_extensions = new(TagClass.ContextSpecific, 0);

    private RevocationListReader(string issuer) => Issuer = issuer;

    /// <summary>The name of its issuer, as text.</summary>
    public string Issuer { get; }

    /// <summary>When a newer list is due; null if the list does not say so.</summary>
    public DateTimeOffset? NextUpdate { get; private set; }

    /// <summary>The serial numbers of the revoked certificates, from <see cref="SerialOf"/>.</summary>
    public HashSet<string> Serials { get; } = new(StringComparer.Ordinal);

    /// <summary>Reads a list and verifies its signature.</summary>
    /// <param name="list">The list in DER.</param>
    /// <param name="authorities">The authorities that may have signed it.</param>
    /// <exception cref="CryptographicException">None of them has signed it, or the list is not supported.</exception>
    /// <exception cref="AsnContentException">It is malformed.</exception>
    public static RevocationListReader Read(ReadOnlyMemory<byte> list, X509Certificate2Collection authorities)
    {
        AsnReader outer = new(list, AsnEncodingRules.DER);
        AsnReader whole = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        ReadOnlyMemory<byte> content = whole.ReadEncodedValue();
        string algorithm = whole.ReadSequence().ReadObjectIdentifier();
        byte[] signature = whole.ReadBitString(out _);
        whole.ThrowIfNotEmpty();

        AsnReader signed = new AsnReader(content, AsnEncodingRules.DER).ReadSequence();
        if (signed.PeekTag() == Asn1Tag.Integer)
        {
            // The version.
            signed.ReadEncodedValue();
        }

        // The algorithm once more.
        signed.ReadEncodedValue();
        RevocationListReader read = new(new X500DistinguishedName(signed.ReadEncodedValue().Span).Name);
        if (!authorities.Any(authority => IsSigner(authority, read.Issuer, algorithm, content.Span, signature)))
        {
            throw new CryptographicException(
                $"The list of '{CoapUntrustedText.LineOf(read.Issuer)}' was not signed by one of the authorities that were named. Name the "
                    + "authority that issued the list (its key usage must include cRLSign), or get a list of an authority that is named.");
        }

        read.ReadContent(signed);
        return read;
    }

    /// <summary>A serial number in the form of <see cref="Serials"/>.</summary>
    /// <param name="bytes">The number, big-endian.</param>
    public static string SerialOf(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes.TrimStart((byte)0));

    private static bool IsSigner(X509Certificate2 authority, string issuer, string algorithm, ReadOnlySpan<byte> content, byte[] signature)
    {
        if (!string.Equals(authority.SubjectName.Name, issuer, StringComparison.OrdinalIgnoreCase)
            || authority.Extensions.OfType<X509KeyUsageExtension>()
                .Any(static usage => (usage.KeyUsages & X509KeyUsageFlags.CrlSign) == 0))
        {
            return false;
        }

        (HashAlgorithmName hash, bool isRsa) = algorithm switch
        {
            "1.2.840.10045.4.3.2" => (HashAlgorithmName.SHA256, false),
            "1.2.840.10045.4.3.3" => (HashAlgorithmName.SHA384, false),
            "1.2.840.10045.4.3.4" => (HashAlgorithmName.SHA512, false),
            "1.2.840.113549.1.1.11" => (HashAlgorithmName.SHA256, true),
            "1.2.840.113549.1.1.12" => (HashAlgorithmName.SHA384, true),
            "1.2.840.113549.1.1.13" => (HashAlgorithmName.SHA512, true),
            _ => throw new CryptographicException(
                $"The signature algorithm {algorithm} of the list is not supported. Use ECDSA or RSA (PKCS #1) with SHA-256 or more."),
        };
        if (isRsa)
        {
            using RSA? rsa = authority.GetRSAPublicKey();
            return rsa?.VerifyData(content, signature, hash, RSASignaturePadding.Pkcs1) == true;
        }

        using ECDsa? key = authority.GetECDsaPublicKey();
        return key?.VerifyData(content, signature, hash, DSASignatureFormat.Rfc3279DerSequence) == true;
    }

    private static DateTimeOffset ReadTime(AsnReader reader) =>
        reader.PeekTag().HasSameClassAndValue(Asn1Tag.UtcTime) ? reader.ReadUtcTime() : reader.ReadGeneralizedTime();

    private void ReadContent(AsnReader signed)
    {
        _ = ReadTime(signed);
        if (signed.HasData && (signed.PeekTag().HasSameClassAndValue(Asn1Tag.UtcTime)
            || signed.PeekTag().HasSameClassAndValue(Asn1Tag.GeneralizedTime)))
        {
            NextUpdate = ReadTime(signed);
        }

        if (signed.HasData && signed.PeekTag().HasSameClassAndValue(Asn1Tag.Sequence))
        {
            AsnReader entries = signed.ReadSequence();
            while (entries.HasData)
            {
                Serials.Add(SerialOf(entries.ReadSequence().ReadIntegerBytes().Span));
            }
        }

        if (signed.HasData)
        {
            AsnReader extensions = signed.ReadSequence(s_extensions).ReadSequence();
            while (extensions.HasData)
            {
                CheckExtension(extensions.ReadSequence());
            }
        }
    }

    // RFC 5280 section 5.2: a list with a critical extension that the reader does not know must not be used to find out that certificates
    // are good. A partition by distribution point names no certificate that is not revoked, so it is harmless.
    private static void CheckExtension(AsnReader extension)
    {
        string id = extension.ReadObjectIdentifier();
        bool isCritical = extension.PeekTag() == Asn1Tag.Boolean && extension.ReadBoolean();
        byte[] value = extension.ReadOctetString();
        if (id == DeltaIndicator)
        {
            throw new CryptographicException("It is a delta list, which holds changes only. Use the complete list.");
        }

        if (id == IssuingDistributionPoint)
        {
            AsnReader point = new AsnReader(value, AsnEncodingRules.DER).ReadSequence();
            while (point.HasData)
            {
                bool isIndirect = point.PeekTag().HasSameClassAndValue(new Asn1Tag(TagClass.ContextSpecific, IndirectTag));
                point.ReadEncodedValue();
                if (isIndirect)
                {
                    throw new CryptographicException("It is an indirect list, with certificates of several issuers. Use one list of each.");
                }
            }
        }
        else if (isCritical)
        {
            throw new CryptographicException($"Its critical extension {id} is not supported.");
        }
    }
}
