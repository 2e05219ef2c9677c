using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Edhoc.Tests;

/// <summary>All methods with all suites, as far as the platform has them.</summary>
public sealed class MethodTests
{
    public static TheoryData<EdhocMethod, int> All()
    {
        TheoryData<EdhocMethod, int> data = [];
        foreach (EdhocMethod method in Enum.GetValues<EdhocMethod>())
        {
            foreach (EdhocCipherSuite suite in EdhocCipherSuite.All)
            {
                data.Add(method, suite.Number);
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(All))]
    [Rfc("9528-3.2-1", "9528-4.2.1-1", "9528-5.5-1", "9528-3.5.1-2", "9528-8-5", "9528-8-6", "9528-A.1-3", "9528-A.1-4", "9528-A.1-5")]
    public void Both_sides_derive_the_same_keys(EdhocMethod method, int number)
    {
        EdhocCipherSuite suite = EdhocCipherSuite.Find(number)!;
        if (!suite.IsSupported)
        {
            Assert.Throws<ArgumentException>(() => new EdhocInitiator(Parties.Settings(number), method, [], Parties.InitiatorId));
            return;
        }

        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make(method, number);
        (EdhocResult first, EdhocResult second) = Parties.Run(initiator, responder);
        initiator.ReadMessage4(responder.CreateMessage4());

        Assert.Equal(first.Export(40_000, [1, 2, 3], 300), second.Export(40_000, [1, 2, 3], 300));
        Assert.NotEqual(first.Export(40_000, [1, 2, 3], 32), second.Export(40_000, [1, 2, 4], 32));
        Assert.Equal("responder", first.PeerCredential.Subject);
        Assert.Equal("initiator", second.PeerCredential.Subject);
        Assert.Equal((method, number), (second.Method, second.CipherSuite.Number));
        if (number == 25)
        {
            Assert.Throws<EdhocException>(first.ExportOscore).Mentions("Use another suite");
            return;
        }

        using OscoreParameters one = first.ExportOscore();
        using OscoreParameters other = second.ExportOscore();
        Assert.Equal(one.MasterSecret.ToArray(), other.MasterSecret.ToArray());
        Assert.Equal(one.MasterSalt.ToArray(), other.MasterSalt.ToArray());
        Assert.Equal(one.SenderId.ToArray(), other.RecipientId.ToArray());
        Assert.Equal(suite.ApplicationAead, one.Algorithm.CoseNumber);

        // The table of RFC 9528, section 3.6: suite 24 has SHA-384 for the application as well.
        Assert.Equal(number == 24 ? OscoreHkdf.Sha384 : OscoreHkdf.Sha256, one.Hkdf);
    }

    [Fact]
    [Rfc("9528-3.6-1", "9528-9.3-1", "9528-9.3-3")]
    public void Each_suite_has_MACs_tags_and_hashes_of_the_required_lengths() => Assert.All(EdhocCipherSuite.All, suite =>
    {
        Assert.True(suite.MacLength >= 8);
        Assert.True(suite.Aead.TagLength >= 8);
        Assert.True(suite.Hash.Length >= 32);
    }, throwIfEmpty: true);

    [Fact]
    [Rfc("9528-9.8-1")]
    public void The_default_random_source_of_EDHOC_is_the_secure_one()
    {
        Assert.Same(CoapRandomSource.Secure, new EdhocClientOptions().Settings.Random);
        Assert.Same(CoapRandomSource.Secure, new EdhocServerOptions().Settings.Random);
    }

    [Theory]
    [Rfc("9528-8-9")]
    [InlineData(2)]
    [InlineData(3)]
    public void Suites_2_and_3_are_supported_with_NET_alone(int number) => Assert.True(EdhocCipherSuite.Find(number)!.IsSupported);

    [Fact]
    [Rfc("9528-9.8-4")]
    public void A_disposed_session_exports_no_keys()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        (EdhocResult first, EdhocResult second) = Parties.Run(initiator, responder);
        first.Dispose();

        Assert.Throws<ObjectDisposedException>(() => first.Export(0, [], 16));
        Assert.Throws<ObjectDisposedException>(() => first.UpdateKeys([]));
        Assert.Equal(16, second.Export(0, [], 16).Length);
    }

    [Fact]
    public void A_plaintext_longer_than_a_single_key_expansion_is_encrypted_in_parts()
    {
        EdhocSettings settings = Parties.Settings(2);
        settings.EadLabels.Add(7);
        settings.MaxMessageSize = 32_768;
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make(initiatorSettings: settings, responderSettings: settings);
        byte[] value = [.. Enumerable.Range(0, 20_000).Select(i => (byte)i)];
        responder.ReadMessage1(initiator.CreateMessage1());
        EdhocClaimedPeerIdentity claim =
            initiator.ReadMessage2(responder.CreateMessage2(Parties.ResponderId, new EdhocEad(7, false, value)));

        Assert.Equal(value, Assert.Single(claim.Ead).Value!.Value.ToArray());
        Assert.NotEmpty(initiator.CreateMessage3([Parties.CredentialOf(responder)]));
    }
}
