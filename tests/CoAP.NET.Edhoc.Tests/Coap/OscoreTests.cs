namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>What EDHOC is for: requests that OSCORE protects with the keys that came of it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class OscoreTests
{
    [Fact]
    [Rfc("9528-A.1-6")]
    public async Task Requests_are_protected_by_the_agreed_context()
    {
        OscoreContexts ofServer = new();
        OscoreContexts ofClient = new();
        await using EdhocWorld world = new(
            options => options.Established = (session, _, _) =>
            {
                ofServer.Add(session.CreateContext());
                return ValueTask.CompletedTask;
            },
            ofServer);
        world.Server.MapPost("/door", request => CoapResults.Changed(CoapContent.Text($"{request.Peer.Identity is OscoreIdentity}")))
            .RequireOscore();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient(contexts: ofClient);
        await world.RunAsync(() => client.PostAsync($"{EdhocWorld.Uri}/door", null)).Gives(CoapCode.Unauthorized);

        using (EdhocResult session = await world.RunAsync(() => world.MakeEdhoc(client).ConnectAsync(EdhocWorld.Uri)))
        {
            ofClient.Add(EdhocWorld.Uri, session.CreateContext());
        }

        CoapResponse response = await world.RunAsync(() => client.PostAsync($"{EdhocWorld.Uri}/door", CoapContent.Text("open")));
        Assert.Equal((CoapCode.Changed, "True"), (response.Code, response.GetText()));
        Assert.Equal(1, ofServer.Count);
    }

    [Theory]
    [Rfc("9528-5.4.2-2")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_first_OSCORE_message_confirms_the_keys_to_the_Initiator_on_either_side(bool isReverse)
    {
        OscoreContexts ofServer = new();
        OscoreContexts ofClient = new();
        EdhocResult? initiator = null;
        await using EdhocWorld world = new(
            options =>
            {
                options.ReverseMethod = isReverse ? EdhocMethod.StaticStatic : null;
                options.Contexts = ofServer;
                options.Established = (session, _, _) =>
                {
                    initiator = session;
                    return ValueTask.CompletedTask;
                };
            },
            ofServer);
        world.Server.MapPost("/door", _ => CoapResults.Changed()).RequireOscore();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient(contexts: ofClient);
        EdhocClient edhoc = world.MakeEdhoc(client, options => options.Contexts = ofClient);
        using EdhocResult own = await world.RunAsync(
            () => isReverse ? edhoc.ConnectReverseAsync(EdhocWorld.Uri) : edhoc.ConnectAsync(EdhocWorld.Uri));
        initiator = isReverse ? initiator : own;
        Assert.Equal((EdhocRole.Initiator, false), (initiator!.Role, initiator.IsConfirmed));

        // None of several at a time waits for the first one.
        Task<CoapResponse>[] all = [.. Enumerable.Range(0, 3).Select(_ => client.PostAsync($"{EdhocWorld.Uri}/door", null))];
        await world.RunAsync(() => Task.WhenAll(all));

        Assert.True(initiator.IsConfirmed);
    }

    [Fact]
    [Rfc("9528-5.4.2-2")]
    public void The_security_contexts_of_a_session_have_no_store()
    {
        (EdhocInitiator initiator, EdhocResponder responder) = Parties.Make();
        (EdhocResult first, EdhocResult second) = Parties.Run(initiator, responder);

        Assert.All(
            new[] { first, second },
            session => Assert.Null(Parties.FieldOf<object?>(session.CreateContext(), "_state")));
    }

    [Fact]
    [Rfc("9668-4.1.2-2")]
    public async Task The_kid_of_a_provisioned_context_with_an_ID_Context_is_assigned_to_no_client()
    {
        OscoreContexts ofServer = WithAlmostAllShortKids();
        await using EdhocWorld world = new(options => options.Contexts = ofServer, ofServer);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();
        for (int i = 0; i < 10; i++)
        {
            using EdhocResult session = await world.ConnectAsync(client);
            byte[] kid = session.PeerConnectionId.ToArray();
            Assert.True(kid.Length > 1 || kid[0] == 0x05);
        }
    }

    [Fact]
    [Rfc("9668-4.1.1-2")]
    public async Task A_client_does_not_choose_the_kid_of_a_provisioned_context_with_an_ID_Context()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(static options => options.Contexts = WithAlmostAllShortKids());
        for (int i = 0; i < 10; i++)
        {
            using EdhocResult session = await world.ConnectAsync(client);
            byte[] kid = session.OwnConnectionId.ToArray();
            Assert.True(kid.Length > 1 || kid[0] == 0x05);
        }
    }

    [Fact]
    [Rfc("9668-4.1.2-1", "9528-3.3.1-1")]
    public async Task Identifiers_of_existing_contexts_are_not_assigned_again()
    {
        // There are 48 identifiers of one byte.
        const int Devices = 60;
        OscoreContexts ofServer = new();
        await using EdhocWorld world = new(
            options =>
            {
                options.IsIdentifierTaken = ofServer.IsRecipient;
                options.Established = (session, _, _) =>
                {
                    using OscoreParameters parameters = session.ExportOscore();
                    ofServer.Add(OscoreContext.CreateVolatile(parameters));
                    return ValueTask.CompletedTask;
                };
            },
            ofServer);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();
        for (int i = 0; i < Devices; i++)
        {
            using EdhocResult session = await world.ConnectAsync(client);
            Assert.True(ofServer.IsRecipient(session.PeerConnectionId));
        }

        Assert.Equal(Devices, ofServer.Count);
    }

    // All identifiers of one byte but one.
    private static OscoreContexts WithAlmostAllShortKids()
    {
        OscoreContexts contexts = new();
        byte[] secret = new byte[16];
        for (byte kid = 0; kid < 0x38; kid++)
        {
            if (kid is not (0x05 or (>= 0x18 and < 0x20)))
            {
                using OscoreParameters parameters = new(secret, [0x41, kid], [kid]) { IdContext = new byte[] { 0xaa } };
                contexts.Add(OscoreContext.CreateVolatile(parameters));
            }
        }

        return contexts;
    }
}
