using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>What a client refuses or ignores of a server that breaks the rules (RFC 5246 section 7.3).</summary>
public sealed class ScriptedServerTests
{
    private const int PointLength = 65;

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.EcdhePsk)]
    [InlineData(HandshakeKind.Ecdsa)]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_client_has_a_session_with_a_server_that_follows_the_rules(HandshakeKind kind)
    {
        using ScriptedServer server = new(kind);
        server.Complete();
        server.AssertSession();
        Assert.Equal(kind is HandshakeKind.Ecdsa or HandshakeKind.EcdsaMutual, server.Client.PeerCertificate is not null);
        Assert.Equal(kind == HandshakeKind.RawPublicKeys, server.Client.PeerPublicKey.Length > 0);
        Assert.Equal(kind is HandshakeKind.Psk or HandshakeKind.EcdhePsk ? "hint" : null, server.Client.PskHint);
    }

    [Theory]
    [InlineData(HandshakeKind.Psk, 2, false)]
    [InlineData(HandshakeKind.Psk, 14, false)]
    [InlineData(HandshakeKind.EcdhePsk, 12, false)]
    [InlineData(HandshakeKind.EcdhePsk, 12, true)]
    [InlineData(HandshakeKind.EcdhePsk, 14, false)]
    [InlineData(HandshakeKind.Ecdsa, 2, false)]
    [InlineData(HandshakeKind.Ecdsa, 11, false)]
    [InlineData(HandshakeKind.Ecdsa, 11, true)]
    [InlineData(HandshakeKind.Ecdsa, 12, false)]
    [InlineData(HandshakeKind.Ecdsa, 12, true)]
    [InlineData(HandshakeKind.Ecdsa, 14, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 11, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 12, false)]
    [InlineData(HandshakeKind.EcdsaMutual, 14, false)]
    [InlineData(HandshakeKind.RawPublicKeys, 11, false)]
    [InlineData(HandshakeKind.RawPublicKeys, 12, false)]
    public void A_client_keeps_waiting_for_a_message_that_a_server_skips(HandshakeKind kind, int skipped, bool leavesNumber)
    {
        using ScriptedServer server = new(kind);
        foreach (HandshakeType type in server.Order)
        {
            if (type != (HandshakeType)skipped)
            {
                server.Send(type);
            }
            else if (leavesNumber)
            {
                server.Number++;
            }
        }

        server.UseKeys();
        server.Finish();
        server.AssertWaits();
        Assert.Equal([HandshakeType.ClientHello], server.Heard.Select(static one => one.Type));
    }

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.Ecdsa)]
    public void A_server_may_skip_an_empty_ServerKeyExchange_and_CertificateRequest(HandshakeKind kind)
    {
        using ScriptedServer server = new(kind);
        server.Complete(without: kind == HandshakeKind.Psk ? HandshakeType.ServerKeyExchange : HandshakeType.CertificateRequest);
        server.AssertSession();
        Assert.Null(server.Client.PskHint);
    }

    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual, 0)]
    [InlineData(HandshakeKind.EcdsaMutual, 1)]
    [InlineData(HandshakeKind.EcdsaMutual, 2)]
    [InlineData(HandshakeKind.EcdsaMutual, 4)]
    [InlineData(HandshakeKind.Psk, 1)]
    [InlineData(HandshakeKind.EcdhePsk, 2)]
    public void A_client_sends_no_certificate_after_a_CertificateRequest_that_comes_out_of_order(HandshakeKind kind, int at)
    {
        using ScriptedServer server = new(kind);
        List<HandshakeType> order = [.. server.Order.Where(static type => type != HandshakeType.CertificateRequest)];
        order.Insert(at, HandshakeType.CertificateRequest);
        order.ForEach(server.Send);
        if (server.Records is null)
        {
            server.UseKeys();
        }

        server.Finish();
        Assert.NotEqual(HandshakeStatus.Done, server.Client.Status);
        Assert.DoesNotContain(HandshakeType.Certificate, server.Heard.Select(static one => one.Type));
    }

    [Fact]
    public void A_client_refuses_a_cipher_suite_that_it_did_not_offer()
    {
        foreach (CipherSuite suite in CipherSuite.All.Skip(1))
        {
            using ScriptedServer server = new(HandshakeKind.Psk) { Suite = suite };
            server.Send(HandshakeType.ServerHello);
            server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
        }
    }

    [Fact]
    public void A_client_refuses_compression()
    {
        using ScriptedServer server = new(HandshakeKind.Psk) { Compression = 1 };
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData(0xFEFF)]
    [InlineData(0xFEFC)]
    [InlineData(0x0303)]
    public void A_client_refuses_a_server_with_another_version(int version)
    {
        using ScriptedServer server = new(HandshakeKind.Psk) { Version = (ushort)version };
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.ProtocolVersion, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData(HandshakeKind.EcdhePsk, 25)]
    [InlineData(HandshakeKind.EcdhePsk, 29)]
    [InlineData(HandshakeKind.Ecdsa, 25)]
    [InlineData(HandshakeKind.Ecdsa, 0)]
    public void A_client_refuses_a_group_that_it_did_not_offer(HandshakeKind kind, int group)
    {
        using ScriptedServer server = new(kind) { Group = (ushort)group };
        server.Complete();
        server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData(HandshakeKind.EcdhePsk, 1)]
    [InlineData(HandshakeKind.Ecdsa, 2)]
    public void A_client_refuses_an_explicit_curve(HandshakeKind kind, byte type)
    {
        using ScriptedServer server = new(kind) { CurveType = type };
        server.Complete();
        server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
    }

    // Truncated HMAC, groups, signature algorithms, heartbeat, types of certificates, ticket, Connection ID, an unknown one, points.
    [Theory]
    [InlineData(4, "")]
    [InlineData(10, "00020017")]
    [InlineData(13, "00020403")]
    [InlineData(15, "01")]
    [InlineData(19, "00")]
    [InlineData(20, "00")]
    [InlineData(35, "")]
    [InlineData(54, "00")]
    [InlineData(0x1234, "")]
    [InlineData(11, "0100")]
    [InlineData(23, "")]
    public void A_client_refuses_an_extension_that_it_did_not_offer(int type, string content)
    {
        using ScriptedServer server = new(
            HandshakeKind.Psk, static settings => settings with { UsesTickets = false, OffersExtendedMasterSecret = false });
        server.Extensions.Clear();
        server.Extensions[(ushort)type] = Convert.FromHexString(content);
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.UnsupportedExtension);
    }

    [Theory]
    [InlineData(19, 0)]
    [InlineData(19, 1)]
    [InlineData(20, 1)]
    [InlineData(20, 255)]
    public void A_client_refuses_a_certificate_type_that_it_did_not_offer(int extension, byte type)
    {
        using ScriptedServer server = new(HandshakeKind.RawPublicKeys);
        server.Extensions[(ushort)extension] = [type];
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
    }

    [Theory]
    [InlineData(11, "010000")]
    [InlineData(11, "02")]
    [InlineData(19, "0200")]
    [InlineData(20, "")]
    [InlineData(23, "00")]
    [InlineData(35, "00")]
    [InlineData(0xFF01, "0000")]
    [InlineData(0, "00")]
    public void A_server_extension_longer_or_shorter_than_its_fields_is_refused(int type, string content)
    {
        using ScriptedServer server = new(HandshakeKind.RawPublicKeys);
        server.Extensions[(ushort)type] = Convert.FromHexString(content);
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.DecodeError);
    }

    [Fact]
    public void A_server_without_extended_master_secret_is_refused_only_if_the_client_requires_it()
    {
        foreach (bool isRequired in new[] { true, false })
        {
            using ScriptedServer server = new(
                HandshakeKind.Ecdsa, settings => settings with { RequiresExtendedMasterSecret = isRequired });
            server.Extensions.Clear();
            if (isRequired)
            {
                server.Send(HandshakeType.ServerHello);
                server.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NothingInCommon);
            }
            else
            {
                server.Complete();
                server.AssertSession();
                Assert.Null(server.Client.SaveSession());
            }
        }
    }

    [Theory]
    [InlineData(HandshakeKind.Ecdsa)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_ServerKeyExchange_with_the_signature_of_another_key_or_of_other_randoms_is_refused(HandshakeKind kind)
    {
        using ECDsa other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        foreach (int way in Enumerable.Range(0, 4))
        {
            using ScriptedServer server = new(kind);
            server.OtherKey = way == 0 ? other : null;
            server.SignedRandoms = way switch
            {
                1 => [.. server.OwnRandom, .. server.PeerRandom],
                2 => [.. new byte[32], .. server.OwnRandom],
                3 => [.. server.PeerRandom, .. new byte[32]],
                _ => null,
            };
            server.Complete();
            server.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
        }
    }

    [Fact]
    public void A_ServerKeyExchange_whose_signature_is_for_another_point_is_refused()
    {
        using ScriptedServer server = new(HandshakeKind.Ecdsa);
        using EphemeralKey other = EphemeralKey.TryCreate([0, 23])!;
        server.Alter = (type, body) => type == HandshakeType.ServerKeyExchange ? [.. body[..4], .. other.Point, .. body[69..]] : body;
        server.Complete();
        server.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
    }

    [Theory]
    [InlineData(0x0203)]
    [InlineData(0x0303)]
    [InlineData(0x0807)]
    [InlineData(0x0804)]
    [InlineData(0x0401)]
    [InlineData(0x0503)]
    [InlineData(0x0000)]
    public void A_ServerKeyExchange_signed_with_an_algorithm_that_was_not_offered_is_refused(int scheme)
    {
        using ScriptedServer server = new(HandshakeKind.Ecdsa) { Scheme = (ushort)scheme };
        server.Complete();
        if ((scheme & 0xFF) == 3)
        {
            server.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
        }
        else
        {
            server.AssertRefused(AlertDescription.IllegalParameter, HandshakeFault.NothingInCommon);
        }
    }

    [Fact]
    [Rfc("9853-3-1")]
    public void A_client_without_Connection_IDs_refuses_the_return_routability_extension()
    {
        using ScriptedServer server = new(HandshakeKind.Psk, static settings => settings with { OwnCidLength = 0 }, ownCid: []);
        server.Extensions[61] = [];
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter);
    }

    [Fact]
    public void A_client_accepts_a_session_ID_of_32_bytes_and_refuses_one_of_33()
    {
        using ScriptedServer longest = new(HandshakeKind.Psk) { SessionId = new byte[32] };
        longest.Complete();
        longest.AssertSession();
        using ScriptedServer longer = new(HandshakeKind.Psk) { SessionId = new byte[33] };
        longer.Send(HandshakeType.ServerHello);
        longer.AssertRefused(AlertDescription.DecodeError);
    }

    [Fact]
    public void An_empty_untrusted_or_unreadable_server_certificate_is_refused()
    {
        foreach (byte[]? bytes in new byte[]?[] { null, [], [1, 2, 3], HandshakeScene.ClientCertificate.RawData })
        {
            using ScriptedServer server = new(HandshakeKind.Ecdsa);
            server.Send(HandshakeType.ServerHello);
            server.Send(HandshakeType.Certificate, writer =>
            {
                int list = writer.BeginVector(3);
                return (bytes is null ? writer : writer.Vector(3, bytes)).EndVector(list, 3);
            });
            server.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
        }
    }

    [Fact]
    public void An_empty_or_untrusted_raw_public_key_of_a_server_is_refused()
    {
        foreach (byte[] bytes in new byte[][] { [], HandshakeScene.ClientKey.ExportSubjectPublicKeyInfo() })
        {
            using ScriptedServer server = new(HandshakeKind.RawPublicKeys);
            server.Send(HandshakeType.ServerHello);
            server.Send(HandshakeType.Certificate, writer => writer.Vector(3, bytes));
            server.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
        }
    }

    [Fact]
    public void Unprotected_alerts_are_counted_and_do_not_end_a_handshake()
    {
        using ScriptedServer server = new(HandshakeKind.EcdsaMutual);
        foreach (HandshakeType type in server.Order)
        {
            server.Plain(ContentType.Alert, [2, 40]);
            server.Send(type);
        }

        server.Finish();
        server.AssertSession();
        Assert.Equal((server.Order.Count, 40), (server.Client.Refusals, (int)server.Client.Refusal!));
    }

    [Theory]
    [InlineData(HandshakeKind.Psk, 2)]
    [InlineData(HandshakeKind.Ecdsa, 2)]
    [InlineData(HandshakeKind.RawPublicKeys, 2)]
    [InlineData(HandshakeKind.Psk, 3)]
    [InlineData(HandshakeKind.Psk, 4)]
    [InlineData(HandshakeKind.Ecdsa, 11)]
    [InlineData(HandshakeKind.RawPublicKeys, 11)]
    [InlineData(HandshakeKind.Psk, 12)]
    [InlineData(HandshakeKind.EcdhePsk, 12)]
    [InlineData(HandshakeKind.Ecdsa, 12)]
    [InlineData(HandshakeKind.EcdsaMutual, 13)]
    [InlineData(HandshakeKind.EcdsaMutual, 14)]
    [InlineData(HandshakeKind.Psk, 20)]
    [InlineData(HandshakeKind.EcdsaMutual, 20)]
    public void A_server_message_longer_or_shorter_than_its_fields_is_refused(HandshakeKind kind, int type)
    {
        int length = int.MaxValue;
        for (int cut = -1; cut < length; cut++)
        {
            using ScriptedServer server = new(kind);
            if (type == 4)
            {
                server.Extensions[35] = [];
            }

            server.Alter = (sent, body) =>
            {
                if (sent != (HandshakeType)type)
                {
                    return body;
                }

                length = body.Length;
                return cut < 0 ? [.. body, 0] : body[..Math.Min(cut, body.Length - 1)];
            };

            // A hello may end before its extensions (RFC 5246 section 7.4.1.3).
            if (type == 2 && cut == 2 + 32 + 1 + 2 + 1)
            {
                continue;
            }

            HandshakeType[] order =
            [
                .. type == 3 ? [HandshakeType.HelloVerifyRequest] : Array.Empty<HandshakeType>(), .. server.Order,
                .. type == 4 ? [HandshakeType.NewSessionTicket] : Array.Empty<HandshakeType>(), HandshakeType.Finished,
            ];
            foreach (HandshakeType next in order)
            {
                if (server.Client.Status == HandshakeStatus.Running)
                {
                    server.Send(next);
                }
            }

            Assert.Equal(HandshakeStatus.Failed, server.Client.Status);
            Assert.Equal(type == 20 ? AlertDescription.DecryptError : AlertDescription.DecodeError, server.Refusal);
        }
    }

    [Theory]
    [InlineData(11, 32_768)]
    [InlineData(12, 4_096)]
    public void A_client_ignores_a_server_message_longer_than_its_maximum(int type, int max)
    {
        foreach (int length in new[] { max, max + 1 })
        {
            using ScriptedServer server = new(type == 11 ? HandshakeKind.Ecdsa : HandshakeKind.Psk);
            server.Send(HandshakeType.ServerHello);
            int progress = server.Client.Progress;
            foreach (byte[] fragment in Fragments((HandshakeType)type, length))
            {
                server.Plain(ContentType.Handshake, fragment);
            }

            Assert.True(server.Client.Progress > progress);
            Assert.Equal(length > max ? HandshakeStatus.Running : HandshakeStatus.Failed, server.Client.Status);
        }

        static IEnumerable<byte[]> Fragments(HandshakeType type, int length)
        {
            for (int offset = 0; offset < length; offset += 10_000)
            {
                MessageHeader header = new(type, length, 1, offset, 0);
                yield return Wire.Fragment(header, offset, new byte[Math.Min(10_000, length - offset)]);
            }
        }
    }

    [Fact]
    public void A_client_resumes_a_session_with_a_server_that_accepts_its_session_ID()
    {
        using ScriptedServer server = Resuming();
        server.Complete();
        server.AssertSession();
        Assert.True(server.Client.IsResumed);
        Assert.Equal(HandshakeScene.Identity, server.Client.PskIdentity);
    }

    [Fact]
    public void A_client_refuses_a_server_that_resumes_with_another_cipher_suite()
    {
        using ScriptedServer server = Resuming();
        server.Suite = CipherSuite.All[2];
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter);
    }

    [Fact]
    public void A_client_refuses_a_server_that_resumes_without_extended_master_secret()
    {
        using ScriptedServer server = Resuming();
        server.Extensions.Clear();
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter);
    }

    [Fact]
    public void A_server_with_a_wrong_master_secret_cannot_resume_a_session()
    {
        using ScriptedServer server = Resuming();
        server.Master = new byte[48];
        server.Complete();
        server.AssertWaits();
        Assert.Equal(1, server.Client.Forgeries);
    }

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.Ecdsa)]
    public void A_client_does_not_resume_a_session_that_it_did_not_offer(HandshakeKind kind)
    {
        using ScriptedServer server = new(kind) { SessionId = [1, 2, 3, 4] };
        server.Send(HandshakeType.ServerHello);
        server.UseKeys();
        server.Finish();
        server.AssertWaits();
        Assert.False(server.Client.IsResumed);
    }

    [Fact]
    public void A_client_has_another_ephemeral_key_in_each_handshake()
    {
        HashSet<string> points = [];
        foreach (HandshakeKind kind in new[] { HandshakeKind.EcdhePsk, HandshakeKind.Ecdsa })
        {
            for (int i = 0; i < 3; i++)
            {
                using ScriptedServer server = new(kind);
                server.Complete();
                byte[] exchange = server.Heard.Single(static one => one.Type == HandshakeType.ClientKeyExchange).Body;
                Assert.True(points.Add(Convert.ToHexString(exchange.AsSpan(exchange.Length - PointLength))));
            }
        }
    }

    private static ScriptedServer Resuming()
    {
        byte[] master = [.. Enumerable.Range(1, 48).Select(static i => (byte)i)];
        CipherSuite[] suites = [.. CipherSuite.All.Where(static suite => suite.KeyExchange == KeyExchange.Psk)];
        byte[] state = new ResumptionState(suites[0], master, [1, 2, 3, 4], []).ToBytes();
        ResumableSession session = new(state, 0, HandshakeScene.Identity, null, default) { PskKey = [.. HandshakeScene.Key] };
        return new ScriptedServer(HandshakeKind.Resumed, settings => settings with { Suites = suites }, session)
        {
            SessionId = [1, 2, 3, 4],
            Master = master,
        };
    }
}
