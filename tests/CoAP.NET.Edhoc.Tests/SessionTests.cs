using System.Formats.Cbor;

namespace CoAP.NET.Edhoc.Tests;

/// <summary>What ends a session, and how the peer is told.</summary>
public sealed class SessionTests
{
    [Theory]
    [Rfc("9528-3.3.1-1")]
    [InlineData(7, true)]
    [InlineData(8, false)]
    public void A_connection_identifier_may_be_as_long_as_an_OSCORE_identifier(int length, bool fits)
    {
        // A nonce of 13 bytes leaves 7 for an ID (RFC 8613 section 3.3).
        EdhocSettings settings = Parties.Settings(2);
        settings.MaxConnectionIdLength = 8;
        byte[] id = [.. Enumerable.Repeat((byte)0x99, length)];
        EdhocInitiator initiator = new(settings, EdhocMethod.StaticStatic, [Parties.Own(EdhocCurve.P256, 0x2b, "initiator")], id);
        (_, EdhocResponder responder) = Parties.Make(responderSettings: settings);
        (EdhocResult session, _) = Parties.Run(initiator, responder);

        if (fits)
        {
            using OscoreParameters parameters = session.ExportOscore();
            Assert.Equal(id, parameters.RecipientId.ToArray());
        }
        else
        {
            Assert.Throws<EdhocException>(session.ExportOscore).Mentions("too long for OSCORE");
        }
    }

    [Fact]
    [Rfc("9528-6.4-1", "9528-6-6", "9528-6.4-2")]
    public void An_unknown_credential_by_reference_gives_error_3()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));

        EdhocException error = Assert.Throws<EdhocException>(() => initiator.CreateMessage3([]));

        Assert.Equal(EdhocErrorCode.UnknownCredential, error.Code);
        Assert.Equal("03f5", Convert.ToHexStringLower(error.ToMessage()));
        Assert.Equal(EdhocErrorCode.UnknownCredential, EdhocException.OfPeer(error.ToMessage()).Code);
    }

    [Theory]
    [InlineData("a1054101")]
    [InlineData("a20441320a4101")]
    [InlineData("a118236161")]
    [Rfc("9528-6.4-3")]
    public void An_identifier_of_an_unsupported_kind_gives_an_unspecified_error(string id)
    {
        EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocOwnCredential own =
            new(EdhocCredential.Create(key.PublicKey, [1]), EdhocCredentialId.Read(Convert.FromHexString(id)), key);
        (EdhocInitiator initiator, _) = Parties.Make();
        EdhocResponder responder = new(Parties.Settings(2), [own]);
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));

        Assert.Equal(EdhocErrorCode.Unspecified, Assert.Throws<EdhocException>(() => initiator.CreateMessage3([])).Code);
    }

    [Fact]
    [Rfc("9528-6.2-1", "9528-3.5-1", "9528-6.2-2")]
    public void A_credential_by_value_that_is_not_trusted_gives_an_unspecified_error()
    {
        EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocCredential credential = EdhocCredential.Create(key.PublicKey, [1]);
        EdhocOwnCredential own = new(credential, EdhocCredentialId.OfCcs(credential.Encoded.Span), key);
        (EdhocInitiator initiator, _) = Parties.Make();
        EdhocResponder responder = new(Parties.Settings(2), [own]);
        responder.ReadMessage1(initiator.CreateMessage1());
        EdhocClaimedPeerIdentity claim = initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));

        Assert.True(claim.CredentialId.IsByValue);
        Assert.Equal(EdhocErrorCode.Unspecified, Assert.Throws<EdhocException>(() => initiator.CreateMessage3([])).Code);
    }

    [Theory]
    [InlineData(EdhocMethod.SignatureSignature)]
    [InlineData(EdhocMethod.StaticStatic)]
    [Rfc("9528-5.3.3-1", "9528-5.4.3-1")]
    public void A_peer_without_the_private_key_of_its_credential_is_refused(EdhocMethod method)
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make(method);
        EdhocCredential other = Parties.Own(EdhocCurve.P256, 0x32, "somebody else").Credential;
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));
        Assert.Equal(EdhocErrorCode.Unspecified, Assert.Throws<EdhocException>(() => initiator.CreateMessage3([other])).Code);

        (initiator, responder) = Parties.Make(method);
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));
        responder.ReadMessage3(initiator.CreateMessage3([other, Parties.CredentialOf(responder)]));
        Assert.Equal(EdhocErrorCode.Unspecified, Assert.Throws<EdhocException>(() => responder.Complete([other])).Code);
    }

    [Fact]
    [Rfc("9528-9.2-1")]
    public void An_Initiator_does_not_accept_its_own_credential_as_the_peer()
    {
        EdhocOwnCredential own = Parties.Own(EdhocCurve.P256, 0x2b, "both");
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.StaticStatic, [own], Parties.InitiatorId);
        EdhocResponder responder = new(Parties.Settings(2), [own]);
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId));

        Assert.Throws<EdhocException>(() => initiator.CreateMessage3([own.Credential]));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [Rfc("9528-5.4.3-1", "9528-5.5.3-1", "9528-9.2-2")]
    public void A_message_modified_in_transit_is_refused(int which)
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make(EdhocMethod.SignatureSignature);
        byte[] message1 = initiator.CreateMessage1();
        responder.ReadMessage1(which == 0 ? Changed(message1, 10) : message1);
        Assert.Throws<EdhocException>(() =>
        {
            byte[] message2 = responder.CreateMessage2(Parties.ResponderId);
            initiator.ReadMessage2(which == 1 ? Changed(message2, message2.Length - 1) : message2);
            byte[] message3 = initiator.CreateMessage3([Parties.CredentialOf(responder)]);
            responder.ReadMessage3(which == 2 ? Changed(message3, 9) : message3);
            responder.Complete([Parties.CredentialOf(initiator)]);
            byte[] message4 = responder.CreateMessage4();
            initiator.ReadMessage4(which == 3 ? Changed(message4, 5) : message4);
        });
    }

    [Fact]
    [Rfc("9528-5.1-2", "9528-5.1-3", "9528-7-3")]
    public void The_steps_of_a_session_must_be_executed_once_and_in_order()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        Assert.Throws<InvalidOperationException>(() => initiator.ReadMessage2(new byte[50]));
        Assert.Throws<InvalidOperationException>(() => responder.ReadMessage3(new byte[50]));
        byte[] message1 = initiator.CreateMessage1();
        Assert.Throws<InvalidOperationException>(() => initiator.CreateMessage1());
        responder.ReadMessage1(message1);
        Assert.Throws<InvalidOperationException>(() => responder.ReadMessage1(message1));
        byte[] message2 = responder.CreateMessage2(Parties.ResponderId);
        initiator.ReadMessage2(message2);
        Assert.Throws<InvalidOperationException>(() => initiator.ReadMessage2(message2));
        byte[] message3 = initiator.CreateMessage3([Parties.CredentialOf(responder)]);

        // ECDSA is random: a second message_3 under the same key and nonce would give both away.
        Assert.Throws<InvalidOperationException>(() => initiator.CreateMessage3([Parties.CredentialOf(responder)]));
        responder.ReadMessage3(message3);
        Assert.Throws<InvalidOperationException>(() => responder.ReadMessage3(message3));
        responder.Complete([Parties.CredentialOf(initiator)]);
        byte[] message4 = responder.CreateMessage4();
        Assert.Throws<InvalidOperationException>(() => responder.CreateMessage4());
        initiator.ReadMessage4(message4);
        Assert.Throws<InvalidOperationException>(() => initiator.ReadMessage4(message4));
    }

    [Fact]
    [Rfc("9528-6.3-1", "9528-5.2.3-1", "9528-6-6", "9528-6.3-2", "9528-6.3-3", "9528-6.3.1-4")]
    public void A_suite_that_is_less_preferred_than_another_common_suite_is_refused()
    {
        // The Initiator prefers 3 and selects 2, though the Responder supports 3: somebody downgraded it.
        EdhocInitiator initiator = new(
            Parties.Settings(3, 2), EdhocMethod.StaticStatic, [Parties.Own(EdhocCurve.P256, 1, "i")], Parties.InitiatorId, [2]);
        EdhocResponder responder = new(Parties.Settings(2, 3), [Parties.Own(EdhocCurve.P256, 2, "r")]);

        EdhocException error = Assert.Throws<EdhocException>(() => responder.ReadMessage1(initiator.CreateMessage1()));

        Assert.Equal(EdhocErrorCode.WrongSelectedCipherSuite, error.Code);
        Assert.Equal([2, 3], error.Suites);
        Assert.Equal("02820203", Convert.ToHexStringLower(error.ToMessage()));
    }

    [Fact]
    [Rfc("9528-6.3-5")]
    public void A_Responder_without_a_common_suite_lists_all_its_suites()
    {
        // It offers suite 6 only.
        byte[] message1 = new Vectors("trace2")["message_1 (first time)", "message_1 (CBOR Sequence)"];
        EdhocResponder responder = new(Parties.Settings(2, 3), [Parties.Own(EdhocCurve.P256, 2, "r")]);

        EdhocException error = Assert.Throws<EdhocException>(() => responder.ReadMessage1(message1));

        Assert.Equal(EdhocErrorCode.WrongSelectedCipherSuite, error.Code);
        Assert.Equal("02820203", Convert.ToHexStringLower(error.ToMessage()));
    }

    [Fact]
    [Rfc("9528-6.3.2-1", "9528-9.2-3")]
    public void Each_session_has_new_ephemeral_keys_on_both_sides()
    {
        HashSet<string> keys = [];
        for (int i = 0; i < 5; i++)
        {
            (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
            byte[] message1 = initiator.CreateMessage1();
            SequenceReader reader = new(message1, "message_1");
            keys.Add(Convert.ToHexString(EdhocMessage1.Read(ref reader, 7).PublicKey));
            responder.ReadMessage1(message1);

            // message_2 is a byte string that begins with G_Y, after a head of two bytes.
            keys.Add(Convert.ToHexString(responder.CreateMessage2(Parties.ResponderId).AsSpan(2, 32)));
        }

        Assert.Equal(10, keys.Count);
    }

    [Fact]
    [Rfc("9528-9.8-5")]
    public void Ephemeral_keys_and_intermediate_keys_are_wiped_when_a_session_is_complete()
    {
        using EdhocPrivateKey other = EdhocPrivateKey.Generate(EdhocCurve.P256);
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        Parties.Run(initiator, responder);
        initiator.ReadMessage4(responder.CreateMessage4());

        foreach (object party in (object[])[initiator, responder])
        {
            EdhocPrivateKey ephemeral = Parties.FieldOf<EdhocPrivateKey>(party, "_ephemeral");
            Assert.Throws<ObjectDisposedException>(() => ephemeral.Agree(other.PublicKey.X.Span));
            byte[] key = Parties.FieldOf<byte[]>(Parties.FieldOf<Schedule.KeySchedule>(party, "_schedule"), "_key");
            Assert.All(key, one => Assert.Equal(0, one), throwIfEmpty: true);
        }
    }

    [Fact]
    public void An_Initiator_without_a_common_suite_sends_no_second_message_1() =>
        Assert.Contains("no cipher suite", Assert.Throws<EdhocException>(() => new EdhocInitiator(
            Parties.Settings(2), EdhocMethod.StaticStatic, [Parties.Own(EdhocCurve.P256, 1, "i")], Parties.InitiatorId, [24, 3]))
            .Message, Ordinal);

    [Fact]
    [Rfc("9668-4.1.2-1", "9528-3.3.3-1")]
    public void Both_sides_must_choose_different_identifiers()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        responder.ReadMessage1(initiator.CreateMessage1());
        Assert.Throws<ArgumentException>(() => responder.CreateMessage2(Parties.InitiatorId));
    }

    [Fact]
    [Rfc("9528-6.2-1", "9528-6.2-4")]
    public void The_error_text_of_a_peer_is_limited_in_length_and_has_no_control_characters()
    {
        string text = "no\u001b[31m\u202e\r\n" + new string('x', 1000);
        EdhocException sent = new(text);
        CborWriter writer = new(allowMultipleRootLevelValues: true);
        writer.WriteInt32(1);
        writer.WriteTextString(text);

        string told = EdhocException.OfPeer(writer.Encode()).Message;

        told.Begins("The peer refuses: no?[31m???x");
        Assert.InRange(told.Length, EdhocException.MaxPeerText, EdhocException.MaxPeerText + 30);
        Assert.InRange(sent.ToMessage().Length, EdhocException.MaxPeerText, EdhocException.MaxPeerText + 20);
    }

    [Fact]
    [Rfc("9528-6-1", "9528-8-7")]
    public void Errors_received_instead_of_messages_are_reported_as_errors_of_the_peer()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        byte[] message1 = initiator.CreateMessage1();
        EdhocException refused = Assert.Throws<EdhocException>(() => initiator.ReadMessage2(new EdhocException("No room.").ToMessage()));
        Assert.True(refused.IsOfPeer);
        refused.Mentions("No room.");

        responder.ReadMessage1(message1);
        responder.CreateMessage2(Parties.ResponderId);
        Assert.True(Assert.Throws<EdhocException>(() => responder.ReadMessage3(Convert.FromHexString("03f5"))).IsOfPeer);
        Assert.Throws<EdhocException>(() => EdhocException.OfPeer(Convert.FromHexString("03f500")));
        Assert.Throws<EdhocException>(() => EdhocException.OfPeer([]));
    }

    private static byte[] Changed(byte[] message, int at)
    {
        byte[] changed = [.. message];
        changed[at] ^= 1;
        return changed;
    }
}
