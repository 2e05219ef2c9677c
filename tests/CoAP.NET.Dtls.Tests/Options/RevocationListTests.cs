namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>Revocation lists of files (RFC 5280 section 5), which are checked without a network.</summary>
public sealed class RevocationListTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly BenchAuthority _authority = new();

    public void Dispose()
    {
        _authority.Dispose();
        _files.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_revocation_list_in_PEM_or_DER_lists_the_revoked_certificates(bool isPem)
    {
        using X509Certificate2 bad = _authority.Issue(commonName: "bad");
        using X509Certificate2 good = _authority.Issue(commonName: "good");
        byte[] list = _authority.Revoke(bad);
        string file = Write(isPem ? Encoding.ASCII.GetBytes(PemEncoding.WriteString("X509 CRL", list)) : list);

        CoapRevocationLists lists = CoapRevocationLists.Load(file, [_authority.Certificate]);

        Assert.Equal((true, false, 1), (lists.IsRevoked(bad), lists.IsRevoked(good), lists.Count));
        Assert.Equal(DateTimeOffset.UnixEpoch.AddYears(150), lists.NextUpdate);
        bad.Dispose();
        Assert.False(lists.IsRevoked(bad));
    }

    [Fact]
    public void Revocation_lists_of_several_authorities_may_be_in_the_same_file()
    {
        using BenchAuthority other = new("other");
        using X509Certificate2 first = _authority.Issue();
        using X509Certificate2 second = other.Issue();
        using X509Certificate2 sameNumber = other.Issue();
        using X509Certificate2 third = _authority.Issue();
        string file = Write(Encoding.ASCII.GetBytes(
            PemEncoding.WriteString("X509 CRL", _authority.Revoke(first)) + "\n"
                + PemEncoding.WriteString("X509 CRL", other.Revoke(sameNumber))));

        CoapRevocationLists lists = CoapRevocationLists.Load(file, [other.Certificate, _authority.Certificate]);

        Assert.Equal([true, false, true, false], new[] { first, second, sameNumber, third }.Select(lists.IsRevoked));
    }

    [Fact]
    public void A_revocation_list_that_is_modified_or_not_signed_by_an_authority_is_refused()
    {
        using BenchAuthority sameName = new();
        using X509Certificate2 bad = _authority.Issue();
        byte[] list = _authority.Revoke(bad);
        Assert.Contains("not signed by one of the authorities", Refuse(list, sameName.Certificate), Ordinal);

        // The last byte of the date of the next update.
        int place = list.AsSpan().IndexOf("2120"u8);
        list[place + 3] = (byte)'1';
        Assert.Contains("not signed by one of the authorities", Refuse(list, _authority.Certificate), Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")]
    [InlineData("30820")]
    public void The_error_for_a_file_without_a_revocation_list_names_the_file(string text)
    {
        string file = Write(Encoding.ASCII.GetBytes(text));
        CoapCredentialException exception =
            Assert.Throws<CoapCredentialException>(() => CoapRevocationLists.Load(file, [_authority.Certificate]));
        Assert.Equal(file, exception.FileName);
        Assert.Equal(_files.Name("missing"),
            Assert.Throws<CoapCredentialException>(() => CoapRevocationLists.Load(_files.Name("missing"), [])).FileName);
    }

    [Fact]
    public void Delta_lists_and_unknown_critical_extensions_are_refused()
    {
        Assert.Contains("delta", Refuse(Crafted("2.5.29.27", isCritical: true, [2, 1, 1]), _authority.Certificate),
            Ordinal);
        Assert.Contains("critical extension 1.2.3.4", Refuse(Crafted("1.2.3.4", isCritical: true, [5, 0]), _authority.Certificate),
            Ordinal);
        Assert.Contains("indirect", Refuse(Crafted("2.5.29.28", isCritical: true, [0x30, 3, 0x84, 1, 0xff]), _authority.Certificate),
            Ordinal);
        Assert.Equal(0, CoapRevocationLists.Load(
            Write(Crafted("2.5.29.28", isCritical: true, [0x30, 3, 0x81, 1, 0xff])), [_authority.Certificate]).Count);
        Assert.Equal(0, CoapRevocationLists.Load(Write(Crafted("1.2.3.4", isCritical: false, [5, 0])), [_authority.Certificate]).Count);
    }

    [Fact]
    public async Task A_certificate_issued_by_a_revoked_authority_is_refused_and_the_reason_names_the_authority()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=middle", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, critical: true));
        DateTimeOffset from = DateTimeOffset.UnixEpoch;
        using X509Certificate2 middle = request.Create(_authority.Certificate, from, from.AddYears(198), [9]);
        using X509Certificate2 middleWithKey = middle.CopyWithPrivateKey(key);
        using ECDsa leafKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest leafRequest = new("CN=leaf", leafKey, HashAlgorithmName.SHA256);
        leafRequest.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.2")], critical: false));
        using X509Certificate2 leaf = leafRequest.Create(middleWithKey, from, from.AddYears(197), [7]);

        Assert.Null(await Check(null).RefusesAsync(leaf, [middle], null, from.AddYears(60), default));
        SslPolicyErrors seen = default;
        CoapRevocationLists lists = CoapRevocationLists.Load(Write(_authority.Revoke(middle)), [_authority.Certificate]);
        Assert.Equal("The certificate 'CN=middle' is on the revocation list of its authority.",
            await Check(lists).RefusesAsync(leaf, [middle], null, from.AddYears(60), default));
        Assert.NotNull(await Check(lists, errors => seen = errors).RefusesAsync(leaf, [middle], null, from.AddYears(60), default));
        Assert.Equal(SslPolicyErrors.RemoteCertificateChainErrors, seen);
    }

    private PeerCertificateValidator Check(CoapRevocationLists? lists, Action<SslPolicyErrors>? sees = null) => new()
    {
        IsOfServers = false,
        Authorities = [_authority.Certificate],
        RevocationLists = lists,
        Decides = sees is null ? null : (_, _, errors, _) =>
        {
            sees(errors);
            return new(errors == SslPolicyErrors.None);
        },
    };

    private string Refuse(byte[] list, X509Certificate2 authority) =>
        Assert.Throws<CoapCredentialException>(() => CoapRevocationLists.Load(Write(list), [authority])).Message;

    private string Write(byte[] bytes)
    {
        string file = _files.Name($"{Guid.NewGuid():N}.crl");
        File.WriteAllBytes(file, bytes);
        return file;
    }

    // The builder of the platform makes no such list.
    private byte[] Crafted(string extension, bool isCritical, byte[] value)
    {
        System.Formats.Asn1.AsnWriter content = new(System.Formats.Asn1.AsnEncodingRules.DER);
        using (content.PushSequence())
        {
            content.WriteInteger(1);
            WriteAlgorithm(content);
            content.WriteEncodedValue(_authority.Certificate.SubjectName.RawData);
            content.WriteUtcTime(DateTimeOffset.UnixEpoch.AddYears(1));
            using (content.PushSequence(new System.Formats.Asn1.Asn1Tag(System.Formats.Asn1.TagClass.ContextSpecific, 0)))
            using (content.PushSequence())
            using (content.PushSequence())
            {
                content.WriteObjectIdentifier(extension);
                if (isCritical)
                {
                    content.WriteBoolean(true);
                }

                content.WriteOctetString(value);
            }
        }

        byte[] signed = content.Encode();
        using ECDsa key = _authority.Certificate.GetECDsaPrivateKey()!;
        System.Formats.Asn1.AsnWriter list = new(System.Formats.Asn1.AsnEncodingRules.DER);
        using (list.PushSequence())
        {
            list.WriteEncodedValue(signed);
            WriteAlgorithm(list);
            list.WriteBitString(key.SignData(signed, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence));
        }

        return list.Encode();
    }

    private static void WriteAlgorithm(System.Formats.Asn1.AsnWriter writer)
    {
        using (writer.PushSequence())
        {
            writer.WriteObjectIdentifier("1.2.840.10045.4.3.2");
        }
    }
}
