using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>EDHOC and the first request of OSCORE in one (RFC 9668), with a client and a server of this library.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CombinedRequestTests
{
    [Fact]
    [Rfc("9668-3.2-1")]
    [Rfc("9668-3.3.1-2", "9668-3.1-3", "9668-3.3.1-4")]
    public async Task The_first_protected_request_carries_message_3_and_later_requests_do_not()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();

        using EdhocResult session = await world.ConnectAsync();
        Assert.Empty(world.Edhoc.Established);
        Assert.False(session.IsConfirmed);

        await world.PostAsync("door", "open").Says("client");
        await world.PostAsync("door", "close").Says("client");

        Assert.True(session.IsConfirmed);
        Assert.Equal([true, false], world.Seen);
        EdhocServerCounters counters = world.Edhoc.Edhoc.GetCounters();
        Assert.Equal((0, 1L, 1L, 1L, 1), (
            counters.Sessions, counters.Begun, counters.Established, counters.Combined, counters.Contexts));
    }

    [Fact]
    [Rfc("9668-3.1-1", "9668-3.1-2")]
    public async Task The_EDHOC_option_is_sent_once_and_empty_and_the_server_ignores_a_value_in_it()
    {
        List<string> sent = [];
        await using CombinedWorld world = new();
        world.Change = message =>
        {
            sent.AddRange(message.Options.GetValues(OptionNumber.Edhoc).Select(value => Convert.ToHexString(value.Span)));
            if (message.Options.Remove(OptionNumber.Edhoc))
            {
                message.Options.Add(OptionNumber.Edhoc, [1, 2]);
            }
        };
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        await world.PostAsync("door", "open").Says("client");

        Assert.Equal([""], sent);
        Assert.Equal(1, world.Edhoc.Edhoc.GetCounters().Combined);
    }

    [Fact]
    [Rfc("9668-7-1")]
    public async Task A_combined_request_undergoes_the_access_control_of_its_route()
    {
        await using CombinedWorld world = new();
        world.Edhoc.Server.MapPost("/safe", request =>
        {
            world.Served.Add(request.GetText());
            return CoapResults.Changed();
        }).RequireOscore(static identity => identity.Owner is EdhocCredential { Subject: "owner" });
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        await world.PostAsync("safe", "open").Gives(CoapCode.Forbidden);

        Assert.Equal([true], world.Seen);
        Assert.Empty(world.Served);
        Assert.Equal(1, world.Edhoc.Edhoc.GetCounters().Combined);
    }

    [Fact]
    [Rfc("9668-3.2.1-1")]
    public async Task Concurrent_requests_wait_until_the_first_request_was_answered()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        Task<CoapResponse>[] all = [.. Enumerable.Range(0, 5).Select(i => world.Client.PostAsync(
            $"{EdhocWorld.Uri}/door", CoapContent.Text($"{i}")))];
        CoapResponse[] responses = await world.Edhoc.RunAsync(() => Task.WhenAll(all));

        Assert.All(responses, response => Assert.Equal((CoapCode.Changed, "client"), (response.Code, response.GetText())));
        Assert.Equal([true, false, false, false, false], world.Seen);
    }

    [Fact]
    [Rfc("9668-3.2.2-1", "9668-3.2.2-2")]
    public async Task Only_the_first_block_of_a_blockwise_request_carries_message_3()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        CoapResponse response = await world.PostAsync("body", new string('x', 3000));

        response.Says("3000");
        Assert.True(world.Seen.Count >= 3);
        Assert.Equal([true, .. Enumerable.Repeat(false, world.Seen.Count - 1)], world.Seen);
        Assert.All(world.Sizes, size => Assert.True(size <= 1152), throwIfEmpty: true);
    }

    [Fact]
    [Rfc("9668-3.2.2-2")]
    public async Task A_message_3_that_is_too_long_is_sent_separately_before_the_request()
    {
        EdhocEad[] long3 = [new(9, false, new byte[300])];
        await using CombinedWorld world = new(configureClient: options =>
            options.CreateEad = (wanted, _) => new(wanted.Message == 3 ? long3 : []));
        await world.StartAsync();

        using EdhocResult session = await world.ConnectAsync();
        Assert.Equal(1, world.Edhoc.Edhoc.GetCounters().Established);

        await world.PostAsync("door", "open").Says("client");
        Assert.Equal([false], world.Seen);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("9668-3.3.1-2", "9668-3.3.1-5", "9528-5.4.3-2")]
    public async Task A_client_that_is_not_trusted_gets_an_unprotected_EDHOC_error_and_no_context(bool isConfirmable)
    {
        await using CombinedWorld world = new(options => options.Trust = new EdhocCredentialStore());
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        CoapRequest request = new(CoapMethod.Post, $"{EdhocWorld.Uri}/door")
        {
            Confirmable = isConfirmable,
            Content = CoapContent.Text("open"),
        };
        EdhocException error = await Assert.ThrowsAsync<EdhocException>(
            () => world.Edhoc.RunAsync(() => world.Client.SendAsync(request)));

        Assert.Equal((true, EdhocErrorCode.Unspecified), (error.IsOfPeer, error.Code));
        error.Mentions("does not know the credential");
        Assert.Equal(0, world.OfServer.Count);
        Assert.Empty(world.Served);

        // What has no session is refused again, and nothing ever leaves in the clear.
        await Assert.ThrowsAsync<EdhocException>(() => world.PostAsync("door", "open"));
        Assert.Empty(world.Served);
    }

    [Fact]
    [Rfc("9528-A.2.3-2")]
    public async Task An_exception_of_the_application_is_answered_5_00_with_an_EDHOC_error_without_details()
    {
        await using CombinedWorld world = new(options =>
            options.Established = (_, _, _) => throw new InvalidOperationException("secret detail"));
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.PostAsync("door", "open"));

        Assert.True(error.IsOfPeer);
        error.Message.Omits("secret");
        Assert.Equal(0, world.OfServer.Count);
    }

    [Fact]
    [Rfc("9668-3.3.1-2", "9668-5-2")]
    public async Task A_server_that_sends_message_4_refuses_combined_requests_and_does_not_offer_them()
    {
        await using CombinedWorld world = new(options => options.SendsMessage4 = true);
        await world.StartAsync();
        CoapResponse links = await world.Edhoc.RunAsync(() => world.Client.GetAsync($"{EdhocWorld.Uri}/.well-known/core"));
        links.GetText().Omits("ed-comb-req");
        using EdhocResult session = await world.ConnectAsync();

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.PostAsync("door", "open"));

        error.Mentions("message_4");
        Assert.Equal(0, world.OfServer.Count);
    }

    [Fact]
    [Rfc("9668-3.1-3")]
    public async Task The_error_names_a_server_without_RFC_9668_and_a_new_session_works_without_combined_requests()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        using EdhocResult session = await world.ConnectAsync();
        world.OfServer.KeyExchange = null;

        EdhocException error = await Assert.ThrowsAsync<EdhocException>(() => world.PostAsync("door", "open"));

        Assert.False(error.IsOfPeer);
        error.Mentions("CombinesFirstRequest");
        EdhocClient sequential = world.MakeEdhoc(options => options.CombinesFirstRequest = false);
        using EdhocResult second = await world.Edhoc.RunAsync(() => sequential.ConnectAsync(EdhocWorld.Uri));
        await world.PostAsync("door", "open").Says("client");
    }

    [Theory]
    [InlineData(null, "43abcdef00")]
    [InlineData("", "43abcdef00")]
    [InlineData("1901", "43abcdef00")]
    [InlineData("090199", "")]
    [InlineData("090199", "43abcdef")]
    [InlineData("090199", "f50000")]
    [InlineData("090199", "43abcdef00")]
    [InlineData(null, "43abcdef00", false)]
    [InlineData("1901", "43abcdef00", false)]
    [InlineData("090199", "f50000", false)]
    [InlineData("090199", "43abcdef00", false)]
    [Rfc("9668-3.3.1-1")]
    public async Task A_malformed_combined_request_or_one_without_a_session_is_answered_4_00(
        string? oscore, string payload, bool isConfirmable = true)
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        CoapMessage message = new(CoapCode.Post)
        {
            Type = isConfirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
            MessageId = 7,
            Payload = Convert.FromHexString(payload),
        };
        if (oscore is not null)
        {
            message.Options.Add(OptionNumber.Oscore, Convert.FromHexString(oscore));
        }

        message.Options.Add(OptionNumber.Edhoc, default);
        using ScriptedPeer stranger = world.Edhoc.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::9]:5683"), InMemoryNetwork.Address("[2001:db8::1]:5683"));

        stranger.Send(CoapDatagramSerializer.Default.Serialize(message));

        // 4.00, piggybacked on the acknowledgement or by a message of its own.
        stranger.Expect(isConfirmable ? "60 80 00 07 .." : "50 80 <mid:2> ..");
        Assert.Empty(world.Served);
        Assert.Equal(0, world.OfServer.Count);
    }

    [Fact]
    [Rfc("9528-6-2")]
    public async Task The_rate_of_refused_combined_requests_is_limited_for_each_source()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        CoapMessage message = new(CoapCode.Post) { Type = CoapMessageType.NonConfirmable, Payload = new byte[] { 0x41, 1, 2 } };
        message.Options.Add(OptionNumber.Oscore, [0x09, 1, 0x99]).Add(OptionNumber.Edhoc, default);
        using ScriptedPeer stranger = world.Edhoc.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::9]:5683"), InMemoryNetwork.Address("[2001:db8::1]:5683"));

        for (ushort i = 0; i < 100; i++)
        {
            message.MessageId = i;
            stranger.Send(CoapDatagramSerializer.Default.Serialize(message));
        }

        Assert.Equal(32, stranger.Pending);
    }

    [Fact]
    [Rfc("9528-9.8-4")]
    public async Task The_keys_of_a_session_are_wiped_at_the_client_and_the_server_when_a_new_session_replaces_it()
    {
        await using CombinedWorld world = new(options => options.MaxContextsPerPeer = 1);
        await world.StartAsync();
        OscoreContext[] ofClient = new OscoreContext[2];
        OscoreContext[] ofServer = new OscoreContext[2];
        for (int i = 0; i < 2; i++)
        {
            using EdhocResult session = await world.ConnectAsync();
            await world.PostAsync("door", "open");
            (ofClient[i], ofServer[i]) = (world.OfClient.FindFor(CoapUri.Parse($"{EdhocWorld.Uri}/door"))!, world.Peers[i].Context);
        }

        Assert.Equal([true, false], ofClient.Select(IsWiped));
        Assert.Equal([true, false], ofServer.Select(IsWiped));

        static bool IsWiped(OscoreContext context) => Record.Exception(
            () => context.Keys.Encrypt(new byte[13], [], new byte[context.Keys.TagLength], [])) is ObjectDisposedException;
    }

    [Fact]
    [Rfc("9668-3.3.1-1", "9668-7-2")]
    public async Task A_request_that_OSCORE_cannot_verify_after_message_3_is_refused_and_the_session_is_kept()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        world.Damage = payload => payload[^1] ^= 1;
        using EdhocResult session = await world.ConnectAsync();
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => world.PostAsync("door", "open"));
        Assert.Empty(world.Served);
        Assert.Equal(1, world.OfServer.Count);
        world.Damage = null;

        // The next request brings message_3 once more, which is not processed again.
        await world.PostAsync("door", "open").Says("client");

        Assert.Equal([true, true], world.Seen);
        Assert.Equal(1, world.Edhoc.Edhoc.GetCounters().Established);
        await world.PostAsync("door", "open").Says("client");
        Assert.False(world.Seen[^1]);
    }

    [Fact]
    [Rfc("9528-9.5-2")]
    public async Task The_contexts_of_a_credential_are_limited_and_the_oldest_are_removed()
    {
        await using CombinedWorld world = new(options => options.MaxContextsPerPeer = 2);
        await world.StartAsync();
        for (int i = 0; i < 5; i++)
        {
            using EdhocResult session = await world.ConnectAsync();
            await world.PostAsync("door", "open").Says("client");
        }

        Assert.Equal((2, 1), (world.OfServer.Count, world.OfClient.Count));
        Assert.Equal((2, 5L), (world.Edhoc.Edhoc.GetCounters().Contexts, world.Edhoc.Edhoc.GetCounters().Established));
    }

    [Fact]
    public async Task The_identity_of_a_peer_is_that_of_its_credential_in_every_context()
    {
        await using CombinedWorld world = new();
        await world.StartAsync();
        using (await world.ConnectAsync())
        {
            await world.PostAsync("door", "open");
        }

        using (await world.ConnectAsync())
        {
            await world.PostAsync("door", "open");
        }

        Assert.Equal(2, world.Peers.Count);
        Assert.NotSame(world.Peers[0].Context, world.Peers[1].Context);
        Assert.Equal(world.Peers[0], world.Peers[1]);
        Assert.Equal(world.Peers[0].GetHashCode(), world.Peers[1].GetHashCode());
        Assert.Same(world.Edhoc.ClientKey.Credential, world.Peers[0].Owner);
    }
}
