using System.Formats.Cbor;

namespace CoAP.NET.Edhoc.Tests.Credentials;

public sealed class CredentialTests
{
    [Fact]
    [Rfc("9528-3.5.3-4")]
    public async Task A_credential_store_finds_its_credentials_and_refuses_others()
    {
        EdhocOwnCredential one = Parties.Own(EdhocCurve.P256, 1, "one");
        EdhocOwnCredential twin = Parties.Own(EdhocCurve.P256, 1, "twin");
        EdhocOwnCredential other = Parties.Own(EdhocCurve.P256, 2, "other");
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate);
        EdhocCredentialStore store = new();
        store.Add(one.Credential).Add(twin.Credential).Add(EdhocCredential.OfCertificate(certificate));

        Assert.Equal(2, (await FindAsync(store, EdhocCredentialId.OfKeyId([1]))).Count);
        Assert.Empty(await FindAsync(store, EdhocCredentialId.OfKeyId([2])));
        Assert.Single(await FindAsync(store, EdhocCredentialId.OfCcs(one.Credential.Encoded.Span)));
        Assert.Empty(await FindAsync(store, EdhocCredentialId.OfCcs(other.Credential.Encoded.Span)));
        Assert.Single(await FindAsync(store, EdhocCredentialId.OfCertificateHash(certificate)));
        Assert.Single(await FindAsync(store, EdhocCredentialId.OfCertificateHash(certificate, isShort: false)));
        Assert.Single(await FindAsync(store, EdhocCredentialId.OfCertificateChain(certificate)));
        Assert.Empty(await FindAsync(store, EdhocCredentialId.OfCertificateHash(issuer.Certificate.RawData)));
        Assert.True(store.Remove(one.Credential));
        Assert.False(store.Remove(one.Credential));
        Assert.Same(twin.Credential, Assert.Single(await FindAsync(store, EdhocCredentialId.OfKeyId([1]))));
        Assert.Equal(2, store.Count);
    }

    [Fact]
    [Rfc("9528-3.5.3-4")]
    public void The_credential_that_the_peer_proves_is_selected_among_several_with_the_same_kid()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        EdhocCredential twin = Parties.Own(EdhocCurve.P256, 0x32, "twin").Credential;
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));

        initiator.CreateMessage3([twin, Parties.CredentialOf(responder)]);

        Assert.Equal("responder", initiator.Session.PeerCredential.Subject);
    }

    [Fact]
    public async Task A_certificate_that_is_not_DER_or_has_trailing_bytes_is_refused()
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate);
        EdhocCertificateTrust trust = new(issuer.Certificate) { TimeProvider = issuer.Time };
        string pem = System.Security.Cryptography.PemEncoding.WriteString("CERTIFICATE", certificate);
        foreach (byte[] bytes in new[] { System.Text.Encoding.ASCII.GetBytes(pem), [.. certificate, 0], [.. certificate, .. certificate] })
        {
            Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(bytes)));
            Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(certificate, bytes)));
            Assert.Throws<EdhocException>(() => EdhocCredential.OfCertificate(bytes));
        }
    }

    [Fact]
    public async Task Certificates_are_trusted_by_issuer_validity_and_the_decision_of_the_application()
    {
        using Issuer issuer = new();
        using Issuer stranger = new();
        using EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate);
        using EdhocPrivateKey otherKey = stranger.Issue("device", out byte[] forged);
        EdhocCertificateTrust trust = new(issuer.Certificate) { TimeProvider = issuer.Time };

        Assert.Equal("CN=device", Assert.Single(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(certificate))).Subject);
        Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(forged)));
        Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(forged, issuer.Certificate.RawDataMemory)));
        Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(new byte[] { 0x30, 0x00 })));
        Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateHash(certificate)));
        EdhocCertificateTrust choosy = new(issuer.Certificate) { TimeProvider = issuer.Time, Identify = _ => null };
        Assert.Empty(await FindAsync(choosy, EdhocCredentialId.OfCertificateChain(certificate)));
        issuer.Time.Advance(FromDays(31));
        Assert.Empty(await FindAsync(trust, EdhocCredentialId.OfCertificateChain(certificate)));
    }

    [Fact]
    public async Task Finding_a_certificate_of_a_server_without_a_target_or_expected_name_is_an_error()
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate);
        EdhocCertificateTrust trust = new(issuer.Certificate) { TimeProvider = issuer.Time };
        EdhocCredentialId id = EdhocCredentialId.OfCertificateChain(certificate);

        await Assert.ThrowsAsync<ArgumentException>(
            async () => await trust.FindAsync(new EdhocClaimedPeerIdentity(id, []), CancellationToken.None));
        await Assert.ThrowsAsync<ArgumentException>(
            async () => await trust.FindAsync(new EdhocClaimedPeerIdentity(id, []) { IsServer = true }, CancellationToken.None));
    }

    [Theory]
    [Rfc("9528-3.5.1-1")]
    [InlineData(X509KeyUsageFlags.DigitalSignature, true)]
    [InlineData(X509KeyUsageFlags.KeyAgreement, false)]
    public void A_certificate_is_accepted_only_for_its_stated_use(X509KeyUsageFlags usages, bool isAccepted)
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device", out byte[] certificate, usages);
        EdhocCredential credential = EdhocCredential.OfCertificate(certificate);
        EdhocOwnCredential own = new(credential, EdhocCredentialId.OfCertificateHash(certificate), key);
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.SignatureStatic, [own], Parties.InitiatorId);
        EdhocResponder responder = new(Parties.Settings(2), [Parties.Own(EdhocCurve.P256, 0x32, "responder")]);
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));
        responder.ReadMessage3(initiator.CreateMessage3([Parties.CredentialOf(responder)]));

        if (isAccepted)
        {
            Assert.Equal("CN=device", responder.Complete([credential]).PeerCredential.Subject);
            return;
        }

        Assert.Throws<EdhocException>(() => responder.Complete([credential]));
    }

    [Fact]
    [Rfc("9528-3.5.2-3", "9528-3.5.2-4", "9528-3.5.2-7")]
    public void A_CCS_is_kept_unchanged_and_a_bare_COSE_key_is_wrapped_into_a_CCS()
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocCredential created = EdhocCredential.Create(key.PublicKey, [7], "somebody");
        byte[] naked = KeyOf(key, -3, writer => writer.WriteByteString(key.PublicKey.Y!.Value.Span));
        EdhocCredential dressed = EdhocCredential.OfCoseKey(naked);

        Assert.Equal("a108a101", Convert.ToHexStringLower(dressed.Encoded.Span[..4]));
        Assert.Null(dressed.KeyId);
        Assert.Equal([7], created.KeyId!.Value.ToArray());
        Assert.Equal("somebody", created.Subject);
        Assert.Equal(created.Encoded.ToArray(), EdhocCredential.OfCcs(created.Encoded.Span).Encoded.ToArray());
    }

    [Fact]
    public void A_compressed_COSE_key_is_decompressed_according_to_its_sign()
    {
        for (int i = 0; i < 6; i++)
        {
            using EdhocPrivateKey key = EdhocPrivateKey.Generate(i % 2 == 0 ? EdhocCurve.P256 : EdhocCurve.P384);
            byte[] y = key.PublicKey.Y!.Value.ToArray();
            byte[] naked = KeyOf(key, -3, writer => writer.WriteBoolean((y[^1] & 1) == 1));
            Assert.Equal(y, EdhocCredential.OfCoseKey(naked).PublicKey.Y!.Value.ToArray());
        }
    }

    [Fact]
    public void A_private_COSE_key_is_refused_as_a_credential()
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        byte[] naked = KeyOf(key, -4, writer => writer.WriteByteString(new byte[32]));

        Assert.Throws<EdhocException>(() => EdhocCredential.OfCoseKey(naked)).Mentions("private");
    }

    [Fact]
    [Rfc("9528-3.5-2")]
    public void A_private_key_that_does_not_match_its_credential_is_refused()
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocCredential other = Parties.Own(EdhocCurve.P256, 1, "other").Credential;

        Assert.Throws<ArgumentException>(() => new EdhocOwnCredential(other, EdhocCredentialId.OfKeyId([1]), key));
    }

    [Fact]
    [Rfc("9528-3.5-2", "9528-3.5.1-1", "9528-3.5.1-2")]
    public void NET_keys_are_usable_for_their_purpose()
    {
        EdhocPrivateKey signing = EdhocPrivateKey.FromECDsa(ECDsa.Create(ECCurve.NamedCurves.nistP256));
        EdhocPrivateKey agreeing = EdhocPrivateKey.FromECDiffieHellman(ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256));
        EdhocOwnCredential one = new(EdhocCredential.Create(signing.PublicKey, [1]), EdhocCredentialId.OfKeyId([1]), signing);
        EdhocOwnCredential two = new(EdhocCredential.Create(agreeing.PublicKey, [2]), EdhocCredentialId.OfKeyId([2]), agreeing);

        (EdhocResult first, EdhocResult second) = Parties.Run(
            new EdhocInitiator(Parties.Settings(2), EdhocMethod.SignatureStatic, [one], Parties.InitiatorId),
            new EdhocResponder(Parties.Settings(2), [two]));

        Assert.Equal(first.Export(1, [], 16), second.Export(1, [], 16));
        Assert.Throws<ArgumentException>(() => EdhocPrivateKey.FromECDsa(ECDsa.Create(ECCurve.NamedCurves.nistP521)));
    }

    [Fact]
    [Rfc("9528-8-2")]
    public void A_key_that_can_only_sign_or_only_agree_is_used_with_its_methods_only()
    {
        using EdhocPrivateKey signing = EdhocPrivateKey.FromECDsa(ECDsa.Create(ECCurve.NamedCurves.nistP256));
        using EdhocPrivateKey agreeing =
            EdhocPrivateKey.FromECDiffieHellman(ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256));
        EdhocOwnCredential one = new(EdhocCredential.Create(signing.PublicKey, [1]), EdhocCredentialId.OfKeyId([1]), signing);
        EdhocOwnCredential two = new(EdhocCredential.Create(agreeing.PublicKey, [2]), EdhocCredentialId.OfKeyId([2]), agreeing);

        Assert.Throws<ArgumentException>(() => new EdhocInitiator(
            Parties.Settings(2), EdhocMethod.StaticStatic, [one], Parties.InitiatorId));
        Assert.Throws<ArgumentException>(() => new EdhocInitiator(
            Parties.Settings(2), EdhocMethod.SignatureSignature, [two], Parties.InitiatorId));
        foreach ((EdhocMethod method, EdhocOwnCredential own) in
            new[] { (EdhocMethod.StaticStatic, one), (EdhocMethod.SignatureSignature, two) })
        {
            (EdhocInitiator initiator, _) = Parties.Make(method);
            EdhocResponder responder = new(Parties.Settings(2), [own]);

            EdhocException error = Assert.Throws<EdhocException>(() => responder.ReadMessage1(initiator.CreateMessage1()));

            error.Mentions("method");
        }
    }

    [Fact]
    [Rfc("9528-3.7-1")]
    public void An_x_coordinate_alone_is_sufficient_for_a_static_key()
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocCredential credential = EdhocCredential.OfCoseKey(KeyOf(key, 2, writer => writer.WriteByteString([7])));
        Assert.Null(credential.PublicKey.Y);
        EdhocOwnCredential own = new(credential, EdhocCredentialId.OfKeyId([7]), key);
        (_, EdhocResponder responder) = Parties.Make();

        (EdhocResult first, EdhocResult second) =
            Parties.Run(new EdhocInitiator(Parties.Settings(2), EdhocMethod.StaticStatic, [own], Parties.InitiatorId), responder);

        Assert.Equal(first.Export(1, [], 16), second.Export(1, [], 16));
    }

    [Fact]
    [Rfc("9528-3.5.2-6", "9528-C.3-1")]
    public void A_CWT_is_a_credential_byte_for_byte_and_may_be_sent_by_value()
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        byte[] claims = EdhocCredential.Create(key.PublicKey, [1], "device").Encoded.ToArray();

        // A token without a tag; the application verifies its signature.
        byte[] token = [0x84, 0x40, 0xa0, .. CborItemEncoder.Item(claims), 0x41, 0x00];
        EdhocOwnCredential own = new(EdhocCredential.OfCwt(token, claims), EdhocCredentialId.OfCwt(token), key);
        (_, EdhocResponder responder) = Parties.Make();

        (EdhocResult first, EdhocResult second) =
            Parties.Run(new EdhocInitiator(Parties.Settings(2), EdhocMethod.StaticStatic, [own], Parties.InitiatorId), responder);

        Assert.Equal(token, second.PeerCredential.Encoded.ToArray());
        Assert.Equal(first.Export(1, [], 16), second.Export(1, [], 16));
    }

    [Theory]
    [InlineData("a0")]
    [InlineData("a1026161")]
    [InlineData("a108a0")]
    [InlineData("a108a1034101")]
    [InlineData("a108a101a0")]
    [Rfc("9528-3.5.3.1-1")]
    public void Claims_without_a_COSE_key_in_their_confirmation_are_refused(string encoded)
    {
        byte[] claims = Convert.FromHexString(encoded);
        Assert.Throws<EdhocException>(() => EdhocCredential.OfCcs(claims));
        Assert.Throws<EdhocException>(() => EdhocCredential.OfCwt([0x80], claims));
    }

    [Fact]
    [Rfc("9528-3.5.3-5")]
    public void The_labels_of_a_header_map_need_no_order()
    {
        byte[] map = Convert.FromHexString("a2054101044102");

        Assert.Equal(map, EdhocCredentialId.Read(map).Encoded.ToArray());
    }

    [Theory]
    [InlineData("a0")]
    [InlineData("a2044101044102")]
    [InlineData("a1182182")]
    [InlineData("a1182181410141")]
    [InlineData("a11822812e")]
    [InlineData("a1044101ff")]
    [InlineData("bf044101ff")]
    [InlineData("a104580101")]
    public void A_header_map_that_is_malformed_is_refused(string encoded) =>
        Assert.Throws<EdhocException>(() => EdhocCredentialId.Read(Convert.FromHexString(encoded)));

    private static async Task<IReadOnlyList<EdhocCredential>> FindAsync(IEdhocCredentialResolver resolver, EdhocCredentialId id) =>
        await resolver.FindAsync(new EdhocClaimedPeerIdentity(id, []) { IsServer = false }, CancellationToken.None);

    // A COSE_Key with one more parameter.
    private static byte[] KeyOf(EdhocPrivateKey key, int label, Action<CborWriter> writeValue)
    {
        CborWriter writer = new();
        writer.WriteStartMap(4);
        writer.WriteInt32(1);
        writer.WriteInt32(2);
        writer.WriteInt32(-1);
        writer.WriteInt32((int)key.Curve);
        writer.WriteInt32(-2);
        writer.WriteByteString(key.PublicKey.X.Span);
        writer.WriteInt32(label);
        writeValue(writer);
        writer.WriteEndMap();
        return writer.Encode();
    }
}
