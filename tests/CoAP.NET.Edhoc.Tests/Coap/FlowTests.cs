using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>EDHOC over CoAP, with a client and a server of this library.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FlowTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9528-A.2.1-1", "9528-5.5-2", "9528-A.2-1", "9528-A.2-4", "9528-9.2-6")]
    public async Task An_Initiator_client_and_its_server_derive_the_same_parameters(bool sendsMessage4)
    {
        await using EdhocWorld world = new(options => options.SendsMessage4 = sendsMessage4);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.RequireMessage4 = sendsMessage4);

        using EdhocResult session = await world.ConnectAsync(client);

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
    [Rfc("9528-5.5-2")]
    public async Task A_client_that_requires_message_4_refuses_a_server_that_does_not_send_it()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.RequireMessage4 = true);

        EdhocException error = await world.FailAsync(client);

        error.Mentions("message_4");
    }

    [Fact]
    [Rfc("9528-A.2.2-1", "9528-A.2-1", "9528-9.2-6")]
    public async Task A_Responder_client_and_its_server_derive_the_same_parameters()
    {
        await using EdhocWorld world = new(options => options.ReverseMethod = EdhocMethod.SignatureSignature);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        using EdhocResult session = await world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri));

        Assert.Equal((EdhocRole.Responder, EdhocMethod.SignatureSignature), (session.Role, session.Method));
        using OscoreParameters own = session.ExportOscore();
        OscoreParameters other = Assert.Single(world.Established);
        Assert.Equal(own.MasterSecret.ToArray(), other.MasterSecret.ToArray());
        Assert.Equal(own.SenderId.ToArray(), other.RecipientId.ToArray());
        Assert.Equal(0, world.Edhoc.GetCounters().Sessions);
    }

    [Fact]
    [Rfc("9528-8-1", "9528-A.2.3-1")]
    public async Task A_server_configured_as_Responder_only_refuses_to_be_the_Initiator()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocException error =
            await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri)));

        Assert.True(error.IsOfPeer);
        Assert.Equal((0L, 1L), (world.Edhoc.GetCounters().Begun, world.Edhoc.GetCounters().Refused));
    }

    [Fact]
    [Rfc("9528-A.2.1-1", "9528-A.2-2", "9528-A.2.3-1", "9528-A.2.3-3")]
    public async Task Messages_have_their_Content_Formats_and_prefixes()
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
        wrong.Gives(CoapCode.UnsupportedContentFormat);
        CoapResponse last = await world.PostAsync(client, payload);
        Assert.Equal((CoapCode.Changed, 0), (last.Code, last.Payload.Length));
        Assert.Single(world.Established);

        // Nothing is processed twice.
        CoapResponse again = await world.PostAsync(client, payload);
        Assert.Equal((CoapCode.BadRequest, CoapContentFormat.EdhocCborSequence), (again.Code, again.ContentFormat));
        Assert.Single(world.Established);
    }

    [Fact]
    [Rfc("9528-6.3-1", "9528-5.2.2-2", "9528-5.2.2-3", "9528-6.3.1-1")]
    public async Task A_client_repeats_message_1_with_the_suite_that_the_server_selects()
    {
        await using EdhocWorld world = new(options =>
        {
            options.Settings = Parties.Settings(3);
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.Settings = Parties.Settings(2, 3));

        using EdhocResult session = await world.ConnectAsync(client);

        Assert.Equal(3, session.CipherSuite.Number);
        Assert.Equal(1, world.Edhoc.GetCounters().Refused);
    }

    [Fact]
    [Rfc("9528-6.4-1", "9528-5.4.3-2", "9528-5.4.3-3")]
    public async Task A_client_with_an_unknown_credential_gets_an_error_that_says_so()
    {
        await using EdhocWorld world = new(options => options.Trust = new EdhocCredentialStore());
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocException error = await world.FailAsync(client);

        Assert.Equal((true, EdhocErrorCode.UnknownCredential), (error.IsOfPeer, error.Code));
        Assert.Empty(world.Established);
        Assert.Equal(1, world.Edhoc.GetCounters().Failed);
    }

    [Fact]
    [Rfc("9528-5.3.3-2", "9528-6-4")]
    public async Task A_server_with_a_credential_unknown_to_the_client_gets_an_error_and_ends_the_session()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.Trust = new EdhocCredentialStore());

        EdhocException error = await world.FailAsync(client);
        await world.Clock.AdvanceUntilAsync(() => world.Edhoc.GetCounters().Failed == 1, FromMinutes(1));

        Assert.Equal((false, EdhocErrorCode.UnknownCredential), (error.IsOfPeer, error.Code));
        Assert.Empty(world.Established);
    }

    [Fact]
    [Rfc("9668-6-1", "9668-5-1", "9668-6-2", "9668-6-3", "9668-6-5", "9668-6-6", "9668-6-7")]
    public async Task The_EDHOC_resource_is_listed_with_its_supported_features()
    {
        OscoreContexts contexts = new();
        await using EdhocWorld world = new(
            options =>
            {
                options.ReverseMethod = EdhocMethod.StaticStatic;
                options.Contexts = contexts;
                options.Settings.EadLabels.Add(9);
            },
            contexts);
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();

        CoapResponse links = await world.RunAsync(() => client.GetAsync($"{EdhocWorld.Uri}/.well-known/core?rt=core.edhoc"));

        CoapLink link = Assert.Single(CoapLinkFormat.Parse(links.GetText()));
        Assert.Equal("/.well-known/edhoc", link.Target);
        string[] attributes = [.. link.Attributes.Select(one => one.Value is null ? one.Name : $"{one.Name}={one.Value}")];
        Assert.Equal(
            [
                "rt=core.edhoc", "ed-r", "ed-method=0", "ed-method=1", "ed-method=2", "ed-method=3", "ed-csuite=2", "ed-csuite=3",
                "ed-cred-t=1", "ed-idcred-t=4", "ed-ead=9", "ed-i", "ed-comb-req",
            ],
            attributes);
    }

    [Fact]
    [Rfc("9668-6-1", "9668-5-1")]
    public async Task A_server_without_security_contexts_does_not_offer_the_combined_request()
    {
        await using EdhocWorld world = new(_ => { });
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();

        CoapResponse links = await world.RunAsync(() => client.GetAsync($"{EdhocWorld.Uri}/.well-known/core?rt=core.edhoc"));

        links.GetText().Mentions("ed-r");
        links.GetText().Omits("ed-comb-req");
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [Rfc("9528-A.2.2-1")]
    public async Task A_server_that_awaits_message_4_is_established_only_when_the_Responder_client_sends_it(bool awaits, bool isSent)
    {
        await using EdhocWorld world = new(options =>
        {
            options.ReverseMethod = EdhocMethod.StaticStatic;
            options.AwaitsMessage4 = awaits;
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.SendsMessage4 = isSent);
        bool isEstablished = !awaits || isSent;

        using EdhocResult session = await world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri));

        Assert.Equal(isEstablished ? 1 : 0, world.Established.Count);
        Assert.Equal(isEstablished ? 0 : 1, world.Edhoc.GetCounters().Sessions);
        world.Clock.Advance(FromSeconds(61));
        Assert.Equal((0, isEstablished ? 0L : 1L), (world.Edhoc.GetCounters().Sessions, world.Edhoc.GetCounters().Abandoned));
    }

    [Fact]
    [Rfc("9528-5.5.3-1", "9528-5.5.3-2", "9528-A.2.3-3")]
    public async Task A_message_4_that_does_not_verify_establishes_no_session()
    {
        await using EdhocWorld world = new(options =>
        {
            options.ReverseMethod = EdhocMethod.StaticStatic;
            options.AwaitsMessage4 = true;
        });
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocResponder responder = new(Parties.Settings(2), [world.ClientKey]);
        responder.ReadMessage1((await world.RunAsync(() => client.PostAsync($"{EdhocWorld.Uri}/.well-known/edhoc", null))).Payload);
        byte[] peer = [.. responder.PeerConnectionId.Span];
        byte[] second = responder.CreateMessage2(new byte[] { 0x18, 2 });
        await world.PostAsync(client, [.. peer, .. second]).Gives(CoapCode.Changed);

        CoapResponse refused = await world.PostAsync(client, [.. peer, 0x48, .. new byte[8]]);

        Assert.Equal((CoapCode.BadRequest, CoapContentFormat.EdhocCborSequence), (refused.Code, refused.ContentFormat));
        Assert.Empty(world.Established);
        Assert.Equal((0L, 1L), (world.Edhoc.GetCounters().Established, world.Edhoc.GetCounters().Failed));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9528-3.8-1", "9528-8-8")]
    public async Task External_authorization_data_is_carried_in_all_messages_in_both_directions(bool isReverse)
    {
        List<int> ofServer = [];
        List<int> ofClient = [];
        IReadOnlyList<EdhocEad> peerEad = [];
        await using EdhocWorld world = new(options =>
        {
            options.ReverseMethod = EdhocMethod.StaticStatic;
            options.SendsMessage4 = true;
            options.AwaitsMessage4 = true;
            options.Settings.EadLabels.Add(9);
            options.CreateEad = (wanted, _) => Make(wanted, ofServer);
            options.Established = (session, _, _) =>
            {
                peerEad = session.PeerEad;
                return ValueTask.CompletedTask;
            };
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options =>
        {
            options.SendsMessage4 = true;
            options.Settings.EadLabels.Add(9);
            options.CreateEad = (wanted, _) => Make(wanted, ofClient);
        });

        using EdhocResult session = await world.RunAsync(
            () => isReverse ? client.ConnectReverseAsync(EdhocWorld.Uri) : client.ConnectAsync(EdhocWorld.Uri));

        Assert.Equal(isReverse ? [2, 4] : [1, 3], ofClient);
        Assert.Equal(isReverse ? [1, 3] : [2, 4], ofServer);
        Assert.Equal(ofServer, session.PeerEad.Select(item => (int)item.Value!.Value.Span[0]));
        Assert.Equal(ofClient, peerEad.Select(item => (int)item.Value!.Value.Span[0]));

        static ValueTask<IReadOnlyList<EdhocEad>> Make(EdhocEadRequest wanted, List<int> made)
        {
            made.Add(wanted.Message);
            return new([new EdhocEad(9, true, new[] { (byte)wanted.Message }), EdhocEad.Padding(3)]);
        }
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, false)]
    [Rfc("9528-3.8-1", "9528-3.8.1-1")]
    public async Task Unknown_critical_external_authorization_data_ends_the_session(int message, bool isOfClient)
    {
        await using EdhocWorld world = new(options =>
        {
            options.SendsMessage4 = true;
            options.CreateEad = Make;
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.CreateEad = Make);

        EdhocException error = await world.FailAsync(client);

        Assert.Equal(isOfClient, error.IsOfPeer);
        error.Mentions("critical external authorization data");
        Assert.Equal(message == 4 ? 1 : 0, world.Established.Count);

        ValueTask<IReadOnlyList<EdhocEad>> Make(EdhocEadRequest wanted, CancellationToken cancellationToken) =>
            new(wanted.Message == message ? [new EdhocEad(77, true, null)] : [new EdhocEad(78, false, null)]);
    }

    [Fact]
    public async Task External_authorization_may_refuse_a_peer_and_is_limited_by_the_session_timeout()
    {
        TaskCompletionSource<IReadOnlyList<EdhocEad>> never = new();
        bool refuses = true;
        await using EdhocWorld world = new(options => options.CreateEad = (_, _) =>
            refuses ? throw new EdhocException("No voucher.") : new(never.Task));
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();
        EdhocException refused = await world.FailAsync(client);
        refuses = false;
        EdhocException late = await world.FailAsync(client);

        refused.Mentions("No voucher.");
        late.Mentions("took too long");
        Assert.Equal(2, world.Edhoc.GetCounters().Failed);
    }

    [Fact]
    [Rfc("9528-3.5.2-1", "9528-3.5.2-2", "9528-3.5.3-2", "9528-C.3-1")]
    public async Task A_certificate_chain_is_transferred_blockwise_and_validated()
    {
        using Issuer issuer = new();
        using EdhocPrivateKey key = issuer.Issue("device-7", out byte[] certificate);
        await using EdhocWorld world = new(options => options.Trust = new EdhocCertificateTrust(issuer.Certificate)
        {
            TimeProvider = issuer.Time,
            Identify = owner => owner.Subject,
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options =>
        {
            options.Method = EdhocMethod.SignatureStatic;
            options.Credentials.Add(new EdhocOwnCredential(
                EdhocCredential.OfCertificate(certificate),
                EdhocCredentialId.OfCertificateChain(certificate, issuer.Certificate.RawDataMemory),
                key));
        });

        using EdhocResult session = await world.ConnectAsync(client);

        Assert.Equal("CN=device-7", Assert.Single(world.Identities));
    }

    [Fact]
    [Rfc("9528-3.4-1", "9528-5.1-6", "9528-7-1", "9528-7-2", "9528-7-4")]
    public async Task A_session_is_established_once_although_each_datagram_is_lost_once()
    {
        HashSet<string> lost = [];
        await using EdhocWorld world = new();
        world.Network.Filter = packet =>
        {
            lock (lost)
            {
                return lost.Add(Convert.ToHexString(packet.Data.Span)) ? NetworkVerdict.Drop : NetworkVerdict.Pass;
            }
        };
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        using EdhocResult session = await world.ConnectAsync(client);

        Assert.Single(world.Established);
        Assert.Equal((1L, 1L), (world.Edhoc.GetCounters().Begun, world.Edhoc.GetCounters().Established));
    }

    [Fact]
    [Rfc("9528-5.1-4")]
    public async Task A_client_whose_server_stops_answering_sends_no_error_message()
    {
        HashSet<ushort> sent = [];
        await using EdhocWorld world = new();
        world.Network.Filter = packet =>
        {
            if (packet.To.Port == 5683)
            {
                lock (sent)
                {
                    sent.Add(packet.MessageId);
                }
            }

            return packet.Code == CoapCode.Changed ? NetworkVerdict.Drop : NetworkVerdict.Pass;
        };
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        await Assert.ThrowsAnyAsync<CoapException>(() => world.ConnectAsync(client));

        // message_1 without and with the Echo value.
        Assert.Equal(2, sent.Count);
        Assert.Equal(1, world.Edhoc.GetCounters().Begun);
    }

    [Fact]
    [Rfc("9528-5.1-5")]
    public async Task An_error_message_after_the_end_of_a_session_does_not_affect_its_security_context()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();
        await world.PostAsync("door", "open");

        CoapResponse answer = await world.Edhoc.PostAsync(
            world.Client, [.. Identifiers.Item(session.PeerConnectionId.Span), .. new EdhocException("No.").ToMessage()]);

        Assert.Equal((CoapCode.BadRequest, 0), (answer.Code, answer.Payload.Length));
        await world.PostAsync("door", "close").Says("client");
        Assert.Equal(1, world.OfServer.Count);
    }

    [Theory]
    [InlineData("0160")]
    [InlineData("0202")]
    [InlineData("03f5")]
    [InlineData("00f5")]
    [InlineData("1864f5")]
    [Rfc("9528-6-1", "9528-6-4", "9528-6.1-3")]
    public async Task An_error_message_ends_a_session_and_gets_no_error_message_in_return(string error)
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.StaticStatic, [world.ClientKey], new byte[] { 0x2d });
        initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
        byte[] identifier = Identifiers.Item(initiator.PeerConnectionId.Span);

        CoapResponse answer = await world.PostAsync(client, [.. identifier, .. Convert.FromHexString(error)]);

        Assert.Equal((CoapCode.Changed, 0), (answer.Code, answer.Payload.Length));
        Assert.Equal(1, world.Edhoc.GetCounters().Failed);
        byte[] third = initiator.CreateMessage3([world.ServerKey.Credential]);
        await world.PostAsync(client, [.. identifier, .. third]).Gives(CoapCode.BadRequest);
        Assert.Empty(world.Established);
    }

    [Fact]
    [Rfc("9528-5.5.3-2")]
    public async Task A_client_that_refuses_message_4_sends_an_error_message()
    {
        await using EdhocWorld world = new(options =>
        {
            options.SendsMessage4 = true;
            options.CreateEad = (wanted, _) => new(wanted.Message == 4 ? [new EdhocEad(77, true, null)] : []);
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocException error = await world.FailAsync(client);

        Assert.False(error.IsOfPeer);

        // The session has ended at the server, where the error message finds none.
        await world.Clock.AdvanceUntilAsync(() => world.Edhoc.GetCounters().Refused == 1, FromMinutes(1));
    }

    [Fact]
    [Rfc("9528-5.2.3-2")]
    public async Task A_Responder_client_that_does_not_support_the_suite_sends_an_error_message()
    {
        await using EdhocWorld world = new(options =>
        {
            options.ReverseMethod = EdhocMethod.StaticStatic;
            options.Settings = Parties.Settings(3);
        });
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocException error =
            await Assert.ThrowsAsync<EdhocException>(() => world.RunAsync(() => client.ConnectReverseAsync(EdhocWorld.Uri)));

        Assert.Equal((false, EdhocErrorCode.WrongSelectedCipherSuite), (error.IsOfPeer, error.Code));
        await world.Clock.AdvanceUntilAsync(() => world.Edhoc.GetCounters().Failed == 1, FromMinutes(1));
    }

    [Fact]
    [Rfc("9528-A.2-3")]
    public async Task Messages_have_their_prefixes_on_connections_too()
    {
        const string Uri = "coap+tcp://[2001:db8::1]";
        await using EdhocWorld world = new();
        world.Server.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        client.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::2]:0")));
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.StaticStatic, [world.ClientKey], new byte[] { 0x2d });

        CoapResponse bare = await world.RunAsync(() => client.PostAsync(
            $"{Uri}/.well-known/edhoc", new CoapContent(initiator.CreateMessage1(), CoapContentFormat.CidEdhocCborSequence)));

        bare.Gives(CoapCode.BadRequest);
        using EdhocResult session = await world.RunAsync(() => world.MakeEdhoc(client).ConnectAsync(Uri));
        Assert.Single(world.Established);
    }
}
