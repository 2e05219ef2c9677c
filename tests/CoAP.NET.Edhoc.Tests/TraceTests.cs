namespace CoAP.NET.Edhoc.Tests;

/// <summary>The traces of RFC 9529, byte for byte in both roles.</summary>
public sealed class TraceTests
{
    [Fact]
    [Rfc("9528-5.2.1-1", "9528-4.1-1", "9528-3.5.2-5", "9528-3.5.3-3", "9528-4.1.1.1-1", "9528-5.2.1-2", "9528-5.2.2-1", "9528-5.3.1-1",
        "9528-5.3.2-1", "9528-5.4.1-1", "9528-5.4.2-1", "9528-5.5.1-1", "9528-5.5.2-1", "9528-5.5.3-1", "9528-9.3-2", "9528-A.1-1")]
    public void The_signature_trace_with_certificates_by_hash_is_reproduced()
    {
        if (!EdhocCipherSuite.Find(0)!.IsSupported)
        {
            return;
        }

        Vectors trace = new("trace1");
        EdhocOwnCredential initiatorKey = OwnByHash(trace["message_3", "CRED_I"], trace["message_3", "Initiator's private"]);
        EdhocOwnCredential responderKey = OwnByHash(trace["message_2", "CRED_R"], trace["message_2", "Responder's private"]);
        Assert.Equal(trace["message_3", "ID_CRED_I"], initiatorKey.Id.Encoded.ToArray());

        EdhocSettings initiatorSettings = Parties.Settings(0);
        initiatorSettings.Random = new GivenRandom(trace["message_1", "Initiator's ephemeral private key"]);
        EdhocSettings responderSettings = Parties.Settings(0);
        responderSettings.Random = new GivenRandom(trace["message_2", "Responder's ephemeral private key"]);
        using EdhocInitiator initiator = new(initiatorSettings, EdhocMethod.SignatureSignature, [initiatorKey], new byte[] { 0x2d });
        using EdhocResponder responder = new(responderSettings, [responderKey]);

        byte[] message1 = initiator.CreateMessage1();
        Assert.Equal(trace["message_1", "message_1 (CBOR Sequence)"], message1);
        Follow(trace, initiator, responder, message1, initiatorKey, responderKey, new byte[] { 0x18 });
    }

    [Fact]
    [Rfc("9528-5.2.1-1", "9528-4.1-1", "9528-3.5.3-1", "9528-6.3-1", "9528-4.1.1.1-1", "9528-5.2.1-2", "9528-5.2.2-1", "9528-5.2.2-2",
        "9528-5.2.2-4", "9528-5.3.1-1", "9528-5.3.2-1", "9528-5.4.1-1", "9528-5.4.2-1", "9528-5.5.1-1", "9528-5.5.2-1", "9528-5.5.3-1",
        "9528-6-6", "9528-6.3-4", "9528-8-3", "9528-A.1-1")]
    public void The_static_key_trace_by_kid_after_a_suite_error_is_reproduced()
    {
        Vectors trace = new("trace2");
        EdhocOwnCredential initiatorKey = EdhocOwnCredential.ByKeyId(
            trace["message_3", "CRED_I"], Key(trace["message_3", "Initiator's private"]));
        EdhocOwnCredential responderKey = EdhocOwnCredential.ByKeyId(
            trace["message_2", "CRED_R"], Key(trace["message_2", "Responder's private"]));

        EdhocResponder refusing = new(Parties.Settings(2), [responderKey]);
        EdhocException error = Assert.Throws<EdhocException>(
            () => refusing.ReadMessage1(trace["message_1 (first time)", "message_1 (CBOR Sequence)"]));
        Assert.Equal(trace["error", "error"], error.ToMessage());
        EdhocException ofPeer = EdhocException.OfPeer(error.ToMessage());
        Assert.Equal((EdhocErrorCode.WrongSelectedCipherSuite, 2), (ofPeer.Code, ofPeer.Suites[0]));

        // The trace offers suite 6 with a key of P-256 in it; what matters is that it is listed before the suite that the Responder named.
        EdhocSettings initiatorSettings = Parties.Settings(2);
        initiatorSettings.Random = new GivenRandom(trace["message_1 (second time)", "Initiator's ephemeral private key"]);
        EdhocOwnCredential[] credentials = [initiatorKey];
        if (EdhocCipherSuite.Find(6)!.IsSupported)
        {
            initiatorSettings.Suites.Insert(0, EdhocCipherSuite.Find(6)!);
            credentials = [Parties.Own(EdhocCurve.X25519, 1, "other"), initiatorKey];
        }

        using EdhocInitiator initiator = new(
            initiatorSettings, EdhocMethod.StaticStatic, credentials, new byte[] { 0x37 }, ofPeer.Suites);
        byte[] message1 = initiator.CreateMessage1();
        if (credentials.Length == 1)
        {
            return;
        }

        Assert.Equal(trace["message_1 (second time)", "message_1 (CBOR Sequence)"], message1);
        EdhocSettings responderSettings = Parties.Settings(2);
        responderSettings.Random = new GivenRandom(trace["message_2", "Responder's ephemeral private key"]);
        using EdhocResponder responder = new(responderSettings, [responderKey]);
        Follow(trace, initiator, responder, message1, initiatorKey, responderKey, new byte[] { 0x27 });
    }

    private static void Follow(
        Vectors trace, EdhocInitiator initiator, EdhocResponder responder, byte[] message1, EdhocOwnCredential initiatorKey,
        EdhocOwnCredential responderKey, byte[] responderId)
    {
        responder.ReadMessage1(message1);
        byte[] message2 = responder.CreateMessage2(responderId);
        Assert.Equal(trace["message_2", "message_2 (CBOR Sequence)"], message2);

        EdhocClaimedPeerIdentity responderClaim = initiator.ReadMessage2(message2);
        Assert.Equal(trace["message_2", "ID_CRED_R"], responderClaim.CredentialId.Encoded.ToArray());
        byte[] message3 = initiator.CreateMessage3([responderKey.Credential]);
        Assert.Equal(trace["message_3", "message_3 (CBOR Sequence)"], message3);

        EdhocClaimedPeerIdentity initiatorClaim = responder.ReadMessage3(message3);
        Assert.Equal(trace["message_3", "ID_CRED_I"], initiatorClaim.CredentialId.Encoded.ToArray());
        using EdhocResult responderSession = responder.Complete([initiatorKey.Credential]);
        byte[] message4 = responder.CreateMessage4();
        Assert.Equal(trace["message_4", "message_4 (CBOR Sequence)"], message4);
        using EdhocResult initiatorSession = initiator.Session;
        Assert.False(initiatorSession.IsConfirmed);
        Assert.Same(initiatorSession, initiator.ReadMessage4(message4));
        Assert.True(initiatorSession.IsConfirmed);

        foreach (EdhocResult session in new[] { initiatorSession, responderSession })
        {
            CheckOscore(trace, "OSCORE Parameters", "", session);
            session.UpdateKeys(trace["Key Update", "context for KeyUpdate"]);
            CheckOscore(trace, "Key Update", " after KeyUpdate", session);
        }
    }

    private static void CheckOscore(Vectors trace, string part, string suffix, EdhocResult session)
    {
        using OscoreParameters parameters = session.ExportOscore();
        Assert.Equal(trace[part, $"OSCORE Master Secret{suffix} (Raw"], parameters.MasterSecret.ToArray());
        Assert.Equal(trace[part, $"OSCORE Master Salt{suffix} (Raw"], parameters.MasterSalt.ToArray());
        byte[] client = trace["OSCORE Parameters", "Client's OSCORE Sender ID"];
        byte[] server = trace["OSCORE Parameters", "Server's OSCORE Sender ID"];
        (byte[] sender, byte[] recipient) = session.Role == EdhocRole.Initiator ? (client, server) : (server, client);
        Assert.Equal(sender, parameters.SenderId.ToArray());
        Assert.Equal(recipient, parameters.RecipientId.ToArray());
        Assert.Equal(10, parameters.Algorithm.CoseNumber);
    }

    private static EdhocPrivateKey Key(byte[] secret) => EdhocPrivateKey.FromBytes(EdhocCurve.P256, secret);

    private static EdhocOwnCredential OwnByHash(byte[] certificate, byte[] secret) => new(
        EdhocCredential.OfCertificate(certificate),
        EdhocCredentialId.OfCertificateHash(certificate),
        EdhocPrivateKey.FromBytes(EdhocCurve.Ed25519, secret));
}
