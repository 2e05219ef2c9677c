namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>What a server refuses or ignores of a client that breaks the rules (RFC 5246 section 7.3).</summary>
public sealed class ScriptedClientTests
{
    private const int PointLength = 65;

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.EcdhePsk)]
    [InlineData(HandshakeKind.Ecdsa)]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_server_gives_a_session_to_a_client_that_follows_the_rules(HandshakeKind kind)
    {
        using ScriptedClient client = new(kind);
        client.Complete();
        client.AssertSession();
        Assert.Equal(kind == HandshakeKind.EcdsaMutual, client.Server.PeerCertificate is not null);
        Assert.Equal(kind == HandshakeKind.RawPublicKeys, client.Server.PeerPublicKey.Length > 0);
    }

    [Theory]
    [InlineData(HandshakeKind.Psk, 16, false)]
    [InlineData(HandshakeKind.EcdhePsk, 16, false)]
    [InlineData(HandshakeKind.Ecdsa, 16, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 11, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 11, true)]
    [InlineData(HandshakeKind.EcdsaMutual, 16, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 16, true)]
    [InlineData(HandshakeKind.EcdsaMutual, 15, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 15, true)]
    [InlineData(HandshakeKind.RawPublicKeys, 11, false)]
    [InlineData(HandshakeKind.RawPublicKeys, 15, false)]
    public void A_server_keeps_waiting_for_a_message_that_a_client_skips(HandshakeKind kind, int skipped, bool leavesNumber)
    {
        using ScriptedClient client = new(kind);
        client.Hello();
        foreach (HandshakeType type in client.Order)
        {
            if (type != (HandshakeType)skipped)
            {
                client.Send(type);
            }
            else if (leavesNumber)
            {
                client.Number++;
            }
        }

        if (client.Records is null)
        {
            client.UseKeys();
        }

        client.Finish();
        client.AssertWaits();
    }

    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_server_that_requires_a_client_certificate_refuses_an_empty_Certificate(HandshakeKind kind)
    {
        using ScriptedClient client = new(kind);
        client.Hello();
        client.EmptyCertificate();
        client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NoCertificate);
    }

    [Fact]
    public void A_server_that_only_requests_a_client_certificate_accepts_an_empty_Certificate()
    {
        using ScriptedClient client = new(HandshakeKind.Ecdsa, static settings => settings with { RequestsClientCertificate = true });
        client.Hello();
        client.EmptyCertificate();
        client.ExchangeKeys();
        client.Finish();
        client.AssertSession();
        Assert.Null(client.Server.PeerCertificate);
    }

    [Fact]
    public void A_server_that_only_requests_a_certificate_completes_no_handshake_without_CertificateVerify()
    {
        using ScriptedClient client = new(HandshakeKind.Ecdsa, static settings => settings with { RequestsClientCertificate = true });
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        client.Finish();
        client.AssertWaits();
    }

    [Fact]
    public void An_untrusted_or_unreadable_client_certificate_is_refused()
    {
        foreach (byte[] bytes in new[] { HandshakeScene.ServerCertificate.RawData, [1, 2, 3], [] })
        {
            using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
            client.Hello();
            client.Send(HandshakeType.Certificate, writer =>
            {
                int list = writer.BeginVector(3);
                return writer.Vector(3, bytes).EndVector(list, 3);
            });
            client.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
        }
    }

    [Fact]
    public void An_untrusted_raw_public_key_of_a_client_is_refused()
    {
        using ScriptedClient client = new(HandshakeKind.RawPublicKeys);
        client.Hello();
        client.Send(HandshakeType.Certificate, static writer => writer.Vector(3, HandshakeScene.ServerKey.ExportSubjectPublicKeyInfo()));
        client.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
    }

    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void Finished_before_CertificateVerify_does_not_complete_a_handshake(HandshakeKind kind)
    {
        using ScriptedClient client = new(kind);
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        client.Finish();
        client.AssertWaits();

        // The number that CertificateVerify has.
        client.Number--;
        client.Verify();
        Assert.NotEqual(HandshakeStatus.Done, client.Server.Status);
    }

    [Fact]
    public void Finished_that_arrives_before_CertificateVerify_is_processed_after_it()
    {
        using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        byte[]? verify = null;
        client.Alter = (type, body) =>
        {
            verify = type == HandshakeType.CertificateVerify ? body : verify;
            return body;
        };

        // Its record gets lost.
        ushort number = client.Number;
        client.IsLost = true;
        client.Verify();
        client.IsLost = false;
        client.Finish();
        client.AssertWaits();
        client.Number = number;
        client.Forge(HandshakeType.CertificateVerify, verify!);
        client.AssertSession();
    }

    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_CertificateVerify_signed_with_another_key_is_refused(HandshakeKind kind)
    {
        using ECDsa other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ScriptedClient client = new(kind);
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        client.Verify(other);
        client.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
    }

    [Fact]
    public void A_CertificateVerify_that_signs_another_handshake_is_refused()
    {
        using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        client.Verify(hash: SHA256.HashData("another handshake"u8));
        client.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
    }

    // SHA-1, SHA-224, EdDSA, RSA-PSS, RSA, another hash, none.
    [Theory]
    [InlineData(0x0203)]
    [InlineData(0x0303)]
    [InlineData(0x0807)]
    [InlineData(0x0804)]
    [InlineData(0x0401)]
    [InlineData(0x0503)]
    [InlineData(0x0000)]
    public void A_CertificateVerify_with_an_algorithm_that_was_not_offered_is_refused(int scheme)
    {
        using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
        client.Hello();
        client.Certificate();
        client.ExchangeKeys();
        client.Verify(scheme: (ushort)scheme);
        client.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
    }

    [Fact]
    public void A_server_decrypts_no_record_before_ClientKeyExchange()
    {
        using ScriptedClient client = new(HandshakeKind.Psk);
        client.Hello();
        client.UseKeys();
        client.Finish();
        client.AssertWaits();
        Assert.Equal(0, client.Server.Forgeries);
        client.Number--;
        client.ExchangeKeys();
        Assert.NotEqual(HandshakeStatus.Done, client.Server.Status);
    }

    [Theory]
    [InlineData(0xFEFF)]
    [InlineData(0xFEFE)]
    public void A_client_that_offers_only_an_older_version_is_refused(int version)
    {
        using ScriptedClient client = new(HandshakeKind.Psk) { Version = (ushort)version };
        client.Hello();
        client.AssertRefused(AlertDescription.ProtocolVersion, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData("")]
    [InlineData("01")]
    [InlineData("4001")]
    public void A_client_without_null_compression_is_refused(string compressions)
    {
        using ScriptedClient client = new(HandshakeKind.Psk) { Compressions = Convert.FromHexString(compressions) };
        client.Hello();
        client.AssertRefused(AlertDescription.ProtocolVersion, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData(HandshakeKind.EcdhePsk, 10, "00020019")]
    [InlineData(HandshakeKind.Ecdsa, 10, "0002001D")]
    [InlineData(HandshakeKind.Ecdsa, 10, "00020018")]
    [InlineData(HandshakeKind.RawPublicKeys, 10, "00020018")]
    [InlineData(HandshakeKind.Ecdsa, 13, "00040203080400")]
    [InlineData(HandshakeKind.Ecdsa, 13, "00020401")]
    [InlineData(HandshakeKind.Ecdsa, 20, "0102")]
    [InlineData(HandshakeKind.RawPublicKeys, 20, "0100")]
    public void A_client_without_a_common_group_signature_algorithm_or_certificate_type_is_refused(
        HandshakeKind kind, int extension, string content)
    {
        byte[] bytes = Convert.FromHexString(content);
        using ScriptedClient client = new(kind);
        client.Extensions[(ushort)extension] = extension == 13 ? bytes[..(2 + bytes[1])] : bytes;
        client.Hello();
        client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NothingInCommon);
    }

    [Fact]
    public void A_client_that_supports_only_certificates_is_refused_by_a_server_with_a_raw_public_key()
    {
        using ScriptedClient client = new(HandshakeKind.RawPublicKeys);
        _ = client.Extensions.Remove(20);
        client.Hello();
        client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NothingInCommon);
    }

    [Fact]
    public void A_client_without_a_common_cipher_suite_is_refused()
    {
        using ScriptedClient client = new(HandshakeKind.Psk) { Suites = [0x002F, 0x1301, 0x00FF] };
        client.Hello();
        client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NothingInCommon);
    }

    [Fact]
    public void A_client_without_extended_master_secret_is_refused_only_if_the_server_requires_it()
    {
        foreach (bool isRequired in new[] { true, false })
        {
            using ScriptedClient client = new(
                HandshakeKind.EcdhePsk, settings => settings with { RequiresExtendedMasterSecret = isRequired });
            _ = client.Extensions.Remove(23);
            if (isRequired)
            {
                client.Hello();
                client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NothingInCommon);
            }
            else
            {
                client.Complete();
                client.AssertSession();
            }
        }
    }

    [Theory]
    [InlineData(HandshakeKind.Psk, 1)]
    [InlineData(HandshakeKind.Ecdsa, 1)]
    [InlineData(HandshakeKind.RawPublicKeys, 1)]
    [InlineData(HandshakeKind.EcdsaMutual, 11)]
    [InlineData(HandshakeKind.RawPublicKeys, 11)]
    [InlineData(HandshakeKind.Psk, 16)]
    [InlineData(HandshakeKind.EcdhePsk, 16)]
    [InlineData(HandshakeKind.Ecdsa, 16)]
    [InlineData(HandshakeKind.EcdsaMutual, 15)]
    [InlineData(HandshakeKind.Psk, 20)]
    [InlineData(HandshakeKind.EcdsaMutual, 20)]
    public void A_client_message_longer_or_shorter_than_its_fields_is_refused(HandshakeKind kind, int type)
    {
        int length = int.MaxValue;
        for (int cut = -1; cut < length; cut++)
        {
            using ScriptedClient client = new(kind);
            client.Alter = (sent, body) =>
            {
                if (sent != (HandshakeType)type)
                {
                    return body;
                }

                length = body.Length;
                return cut < 0 ? [.. body, 0] : body[..Math.Min(cut, body.Length - 1)];
            };

            // A hello may end before its extensions (RFC 5246 section 7.4.1.2).
            if (type == 1 && cut == 34 + 1 + 21 + 4 + 2)
            {
                continue;
            }

            client.Hello();
            foreach (HandshakeType next in client.Order)
            {
                if (client.Server.Status == HandshakeStatus.Running)
                {
                    client.Send(next);
                }
            }

            if (client.Server.Status == HandshakeStatus.Running)
            {
                client.Finish();
            }

            Assert.Equal(HandshakeStatus.Failed, client.Server.Status);
            Assert.NotEqual(AlertDescription.InternalError, client.Refusal ?? AlertDescription.DecodeError);
            if (type != 1 && type != 20)
            {
                Assert.Equal(AlertDescription.DecodeError, client.Refusal);
            }
        }
    }

    [Theory]
    [InlineData(10, "000200170000")]
    [InlineData(10, "00040017")]
    [InlineData(10, "0000")]
    [InlineData(10, "0003001700")]
    [InlineData(13, "0000")]
    [InlineData(13, "00030403FF")]
    [InlineData(11, "0100FF")]
    [InlineData(13, "000204030000")]
    [InlineData(23, "00")]
    [InlineData(0xFF01, "0000")]
    [InlineData(0xFF01, "")]
    public void A_client_extension_longer_or_shorter_than_its_fields_is_refused(int type, string content)
    {
        using ScriptedClient client = new(HandshakeKind.Ecdsa);
        client.Extensions[(ushort)type] = Convert.FromHexString(content);
        client.Hello();
        client.AssertRefused(AlertDescription.DecodeError);
    }

    [Theory]
    [InlineData(ExtensionReader.MaxCount, false)]
    [InlineData(ExtensionReader.MaxCount + 1, true)]
    public void A_ClientHello_with_more_extensions_than_the_maximum_is_refused(int count, bool isRefused)
    {
        using ScriptedClient client = new(HandshakeKind.Psk);
        for (ushort type = 0x2000; client.Extensions.Count < count; type++)
        {
            client.Extensions[type] = [];
        }

        client.Hello();
        if (isRefused)
        {
            client.AssertRefused(AlertDescription.DecodeError);
        }
        else
        {
            client.ExchangeKeys();
            client.Finish();
            client.AssertSession();
        }
    }

    [Fact]
    public void A_client_that_resumes_a_session_without_extended_master_secret_is_refused()
    {
        using ScriptedClient client = Resuming(out _);
        _ = client.Extensions.Remove(23);
        client.Hello();
        client.AssertRefused(AlertDescription.HandshakeFailure);
    }

    [Fact]
    public void A_server_resumes_a_session_only_if_the_client_offers_the_suite_of_the_session()
    {
        using ScriptedClient same = Resuming(out _);
        same.Hello();
        Assert.True(same.IsProved);
        same.Finish();
        same.AssertSession();
        Assert.True(same.Server.IsResumed);

        using ScriptedClient other = Resuming(out CipherSuite suite);
        other.Suites = [suite.Id];
        other.Suite = suite;
        other.Complete();
        other.AssertSession();
        Assert.False(other.Server.IsResumed);
    }

    [Fact]
    public void A_client_with_a_wrong_master_secret_cannot_resume_a_session()
    {
        using ScriptedClient client = Resuming(out _);
        client.ResumedMaster![0] ^= 1;
        client.Hello();
        client.Finish();
        client.AssertWaits();
        Assert.Equal(1, client.Server.Forgeries);
    }

    [Fact]
    public void A_server_has_another_ephemeral_key_in_each_handshake()
    {
        HashSet<string> points = [];
        foreach (HandshakeKind kind in new[] { HandshakeKind.EcdhePsk, HandshakeKind.Ecdsa })
        {
            for (int i = 0; i < 3; i++)
            {
                using ScriptedClient client = new(kind);
                client.Hello();
                byte[] exchange = client.Heard.Single(static one => one.Type == HandshakeType.ServerKeyExchange).Body;
                int at = exchange.AsSpan().IndexOf((byte[])[3, 0, 23, PointLength, 4]);
                Assert.True(points.Add(Convert.ToHexString(exchange.AsSpan(at + 4, PointLength))));
            }
        }
    }

    // A client that wants to resume a session of the first suite at a server that has another one too.
    private static ScriptedClient Resuming(out CipherSuite other)
    {
        CipherSuite[] suites = [.. CipherSuite.All.Where(static suite => suite.KeyExchange == KeyExchange.Psk)];
        other = suites[1];
        byte[] master = [.. Enumerable.Range(1, 48).Select(static i => (byte)i)];
        ScriptedClient client = new(
            HandshakeKind.Psk, settings => settings with { Suites = suites, SessionStore = new ServerResumptionCache(time: settings.Time) })
        {
            SessionId = [1, 2, 3, 4],
            ResumedMaster = [.. master],
        };
        byte[] rules = new SharedHandshakeContext(client.Server.Settings).Rules;
        client.Server.Found([1, 2, 3, 4], new SavedResumption
        {
            Expires = client.Clock.GetUtcNow() + FromHours(1),
            Session = new ResumptionState(suites[0], master, rules, []).ToBytes(),
            PskIdentity = HandshakeScene.Identity,
            Certificate = [],
            PublicKey = [],
            ClientCredentials = [],
            ServerName = null,
        });
        return client;
    }
}
