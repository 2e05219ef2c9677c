using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>EDHOC over CoAP, with a client and a server of this library.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FlowTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9528-A.2.1-1")]
    public async Task A_client_that_is_the_Initiator_and_its_server_have_the_same_parameters(bool sendsMessage4)
    {
        await using EdhocWorld world = new(options => options.SendsMessage4 = sendsMessage4);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient(), options => options.RequireMessage4 = sendsMessage4);

        using EdhocSession session = await world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri));

        Assert.Equal(sendsMessage4, session.IsConfirmed);
        using OscoreParameters own = session.ExportOscore();
        OscoreParameters other = Assert.Single(world.Established);
        Assert.Equal(own.MasterSecret.ToArray(), other.MasterSecret.ToArray());
        Assert.Equal(own.SenderId.ToArray(), other.RecipientId.ToArray());
        Assert.Equal(own.RecipientId.ToArray(), other.SenderId.ToArray());
        Assert.Equal("server", session.PeerCredential.Subject);
        Assert.Equal("client", Assert.IsType<EdhocCredential>(Assert.Single(world.Identities)).Subject);
        EdhocServerCounters counters = world.Edhoc.GetCounters();
        Assert.Equal((0, 1L, 1L, 0L, 1L), (
            counters.Sessions, counters.Begun, counters.Established, counters.Failed, counters.Challenges));
    }

    [Fact]
    public async Task A_client_that_requires_message_4_does_not_do_without()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient(), static options => options.RequireMessage4 = true);

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri)));

        Assert.Contains("message_4", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    [Rfc("9528-A.2.2-1")]
    public async Task A_client_that_is_the_Responder_and_its_server_have_the_same_parameters()
    {
        await using EdhocWorld world = new(static options => options.ReverseMethod = EdhocMethod.SignatureSignature);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient());

        using EdhocSession session = await world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri));

        Assert.Equal((EdhocRole.Responder, EdhocMethod.SignatureSignature), (session.Role, session.Method));
        using OscoreParameters own = session.ExportOscore();
        OscoreParameters other = Assert.Single(world.Established);
        Assert.Equal(own.MasterSecret.ToArray(), other.MasterSecret.ToArray());
        Assert.Equal(own.SenderId.ToArray(), other.RecipientId.ToArray());
        Assert.Equal(0, world.Edhoc.GetCounters().Sessions);
    }

    [Fact]
    public async Task A_server_that_is_the_Responder_only_refuses_to_be_the_Initiator()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient());

        EdhocException error =
            await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri)));

        Assert.True(error.IsOfPeer);
        Assert.Equal((0L, 1L), (world.Edhoc.GetCounters().Begun, world.Edhoc.GetCounters().Refused));
    }

    [Fact]
    [Rfc("9528-A.2.1-1")]
    public async Task Messages_have_their_Content_Formats_and_what_belongs_in_front()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.StaticStatic, [world.ClientKey], new byte[] { 0x2d });

        CoapResponse second = await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()]);
        Assert.Equal((CoapCode.Changed, CoapContentFormat.EdhocCborSequence), (second.Code, second.ContentFormat));
        initiator.ReadMessage2(second.Payload);
        byte[] third = initiator.CreateMessage3([world.ServerKey.Credential]);

        // The identifier of the server, an integer of one byte.
        byte[] payload = [.. initiator.PeerConnectionId.Span, .. third];
        Assert.Equal(1, initiator.PeerConnectionId.Length);
        CoapResponse wrong = await world.PostAsync(client, payload, CoapContentFormat.EdhocCborSequence);
        Assert.Equal(CoapCode.UnsupportedContentFormat, wrong.Code);
        CoapResponse last = await world.PostAsync(client, payload);
        Assert.Equal((CoapCode.Changed, 0), (last.Code, last.Payload.Length));
        Assert.Single(world.Established);

        // Nothing is processed twice.
        CoapResponse again = await world.PostAsync(client, payload);
        Assert.Equal((CoapCode.BadRequest, CoapContentFormat.EdhocCborSequence), (again.Code, again.ContentFormat));
        Assert.Single(world.Established);
    }

    [Fact]
    [Rfc("9528-6.3-1")]
    public async Task A_client_asks_once_more_with_the_suite_that_the_server_names()
    {
        await using EdhocWorld world = new(static options =>
        {
            options.Settings = Parties.Settings(3);
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient(), static options => options.Settings = Parties.Settings(2, 3));

        using EdhocSession session = await world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri));

        Assert.Equal(3, session.CipherSuite.Number);
        Assert.Equal(1, world.Edhoc.GetCounters().Refused);
    }

    [Fact]
    [Rfc("9528-6.4-1")]
    public async Task A_client_that_the_server_does_not_know_is_told_so()
    {
        await using EdhocWorld world = new(static options => options.Trust = new EdhocCredentialStore());
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient());

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri)));

        Assert.Equal((true, EdhocErrorCode.UnknownCredential), (error.IsOfPeer, error.Code));
        Assert.Empty(world.Established);
        Assert.Equal(1, world.Edhoc.GetCounters().Failed);
    }

    [Fact]
    public async Task A_server_that_the_client_does_not_know_is_told_so_and_ends_the_session()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient(), static options => options.Trust = new EdhocCredentialStore());

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri)));
        await world.Clock.AdvanceUntilAsync(() => world.Edhoc.GetCounters().Failed == 1, TimeSpan.FromMinutes(1));

        Assert.Equal((false, EdhocErrorCode.UnknownCredential), (error.IsOfPeer, error.Code));
        Assert.Empty(world.Established);
    }

    [Fact]
    public async Task The_resource_is_listed_with_what_it_supports()
    {
        await using EdhocWorld world = new(static options => options.ReverseMethod = EdhocMethod.StaticStatic);
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();

        CoapResponse links = await world.RunAsync(() => client.GetAsync($"{EdhocWorld.Uri}/.well-known/core"));

        Assert.Contains("</.well-known/edhoc>", links.GetText(), StringComparison.Ordinal);
        Assert.Contains("rt=\"core.edhoc\"", links.GetText(), StringComparison.Ordinal);
        Assert.Contains("ed-r", links.GetText(), StringComparison.Ordinal);
        Assert.Contains("ed-i", links.GetText(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_chain_of_certificates_goes_in_blocks_and_is_validated()
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device-7", out byte[] certificate);
        await using EdhocWorld world = new(options => options.Trust = new EdhocCertificateTrust(issuer.Certificate)
        {
            TimeProvider = issuer.Time,
            Identify = static owner => owner.Subject,
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(world.MakeClient(), options =>
        {
            options.Method = EdhocMethod.SignatureStatic;
            options.Credentials.Add(new EdhocOwnCredential(
                EdhocCredential.OfCertificate(certificate),
                EdhocCredentialId.OfCertificateChain(certificate, issuer.Certificate.RawDataMemory),
                key));
        });

        using EdhocSession session = await world.RunAsync(() => client.ConnectAsync(EdhocWorld.Uri));

        Assert.Equal("CN=device-7", Assert.Single(world.Identities));
    }
}
