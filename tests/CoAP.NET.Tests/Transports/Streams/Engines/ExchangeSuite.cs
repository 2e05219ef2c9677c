using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>What works over connections, over real ones.</summary>
public abstract class ExchangeSuite : EngineTest
{
    [Fact]
    public async Task Every_method_reaches_its_handler_with_its_payload()
    {
        Server.MapPut("/m", static request => CoapResults.Changed(CoapContent.Text("put " + request.GetText())));
        Server.MapPost("/m", static request => CoapResults.Changed(CoapContent.Text("post " + request.GetText())));
        Server.MapFetch("/m", static request => CoapResults.Text("fetch " + request.GetText()));
        Server.MapDelete("/m", static () => CoapResults.Deleted());
        await StartAsync();

        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        await Within(Client.PutAsync(Uri + "/m", CoapContent.Text("1"))).Says("put 1");
        await Within(Client.PostAsync(Uri + "/m", CoapContent.Text("2"))).Says("post 2");
        await Within(Client.FetchAsync(Uri + "/m", CoapContent.Text("3"))).Says("fetch 3");
        await Within(Client.DeleteAsync(Uri + "/m")).Gives(CoapCode.Deleted);
        await Within(Client.GetAsync(Uri + "/none")).Gives(CoapCode.NotFound);
        Assert.Equal(1, Count(CoapCounter.ConnectionsAccepted));
    }

    [Fact]
    public async Task A_thousand_requests_in_one_write_are_all_answered()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        await peer.SendAsync(string.Concat(Enumerable.Range(0, 1000).Select(static i => $"2201{i:x4}b178")));

        HashSet<string> tokens = [];
        for (int i = 0; i < 1000; i++)
        {
            string answer = await peer.ReadFrameAsync();
            Assert.Equal("4245", answer[..4]);
            answer.Ends("c0ff6869");
            Assert.True(tokens.Add(answer[4..8]));
        }

        Assert.Equal(0, peer.Socket.Available);
    }

    [Fact]
    public async Task A_thousand_concurrent_requests_of_a_client_get_their_own_answers()
    {
        Server.MapGet("/n/{n}", static request => CoapResults.Text(request.Route["n"]!));
        await StartAsync();

        CoapResponse[] all = await Within(Task.WhenAll(Enumerable.Range(0, 1000).Select(i => Client.GetAsync($"{Uri}/n/{i}"))));

        Assert.Equal(Enumerable.Range(0, 1000).Select(static i => $"{i}"), all.Select(static response => response.GetText()));
        Assert.Equal(1, Count(CoapCounter.ConnectionsAccepted));
    }

    [Fact]
    public async Task Both_ends_of_a_connection_can_send_requests()
    {
        TaskCompletionSource<CoapPeer> connected = new(RunContinuationsAsynchronously);
        Server.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        Server.MapGet("/back", static async (request, cancellationToken) =>
            CoapResults.Text("back " + (await request.Peer.GetAsync("/own", cancellationToken)).GetText()));
        Client.Endpoint.Routes.Root.MapGet("/own", static () => CoapResults.Text("device"));
        await StartAsync();

        Task<CoapResponse>[] asked = [.. Enumerable.Range(0, 50).Select(_ => Client.GetAsync(Uri + "/back"))];
        CoapPeer device = await Within(connected.Task);
        Task<CoapResponse>[] back = [.. Enumerable.Range(0, 50).Select(_ => device.GetAsync("/own"))];

        Assert.All(await Within(Task.WhenAll(asked)), static response => Assert.Equal("back device", response.GetText()));
        Assert.All(await Within(Task.WhenAll(back)), static response => Assert.Equal("device", response.GetText()));
        Assert.Equal(1, Count(CoapCounter.ConnectionsAccepted));
        Assert.Equal(0, Count(CoapCounter.ConnectionsOpened));
    }

    [Fact]
    public async Task An_observer_gets_the_last_of_a_thousand_states_and_no_older_state_after_a_newer_one()
    {
        int state = 0;
        CoapRouteHandlerBuilder route = Server.MapGet("/o", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await StartAsync();
        await using AsyncPeer observer = await ConnectAsync();
        await observer.SendAsync("310110605" + "16f");
        (await observer.ReadFrameAsync()).Ends("ff30");

        for (int i = 1; i <= 1000; i++)
        {
            Volatile.Write(ref state, i);
            route.Notify();
            Clock.Advance(FromMilliseconds(10));
        }

        int last = 0;
        while (last < 1000)
        {
            CoapMessage notification = await WhileTicksPassAsync(observer.ReadMessageAsync());
            int next = int.Parse(Encoding.UTF8.GetString(notification.Payload.Span),
                System.Globalization.CultureInfo.InvariantCulture);
            Assert.InRange(next, last, 1000);
            last = next;
        }

        await observer.SendAsync("4101106101" + "516f");
        await UntilAsync(() => Server.ObserverCount == 0, static () => "The observer is still there.");
    }

    [Fact]
    public async Task A_client_observation_receives_the_last_of_a_thousand_states()
    {
        int state = 0;
        CoapRouteHandlerBuilder route = Server.MapGet("/o", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await StartAsync();
        await using CoapObservation observation = await Within(Client.ObserveAsync(Uri + "/o"));

        for (int i = 1; i <= 1000; i++)
        {
            Volatile.Write(ref state, i);
            route.Notify();
            Clock.Advance(FromMilliseconds(10));
        }

        using CancellationTokenSource hang = new(FromSeconds(60));
        IAsyncEnumerator<CoapResponse> responses = observation.ReadAllAsync(hang.Token).GetAsyncEnumerator(hang.Token);
        do
        {
            Assert.True(await WhileTicksPassAsync(responses.MoveNextAsync().AsTask()));
        }
        while (responses.Current.GetText() != "1000");
        await responses.DisposeAsync();
    }

    [Fact]
    public async Task Bodies_arrive_intact_in_one_frame_and_in_blocks()
    {
        byte[] body = [];

        // So that the answer to a POST, which cannot be run again for each block, is kept.
        Options.Limits.Blockwise.ResponseMemory = 64 << 20;
        Server.MapGet("/body", () => CoapResults.Bytes(body));
        Server.MapPut("/body", request =>
        {
            body = request.Payload.ToArray();
            return CoapResults.Changed();
        }).WithMaxBodySize(8 << 20);
        Server.MapPost("/echo", static request => CoapResults.Changed(CoapContent.Binary(request.Payload.ToArray())))
            .WithMaxBodySize(8 << 20);
        await StartAsync();

        foreach (int size in (int[])[(1 << 20) - 100, 1 << 20, 5 << 20])
        {
            byte[] sent = Frames.Bytes(size, size);
            await Within(Client.PutAsync(Uri + "/body", CoapContent.Binary(sent))).Gives(CoapCode.Changed);
            Assert.True(body.AsSpan().SequenceEqual(sent), $"Up: {size}");
            Assert.True((await Within(Client.GetAsync(Uri + "/body"))).Payload.Span.SequenceEqual(sent), $"Down: {size}");
            Assert.True((await Within(Client.PostAsync(Uri + "/echo", CoapContent.Binary(sent)))).Payload.Span.SequenceEqual(sent),
                $"Both: {size}");
        }

        Assert.Equal(1, Count(CoapCounter.ConnectionsAccepted));
        Assert.Equal(0, Server.Endpoint.FrameAssemblyBytes);
    }

    [Fact]
    public async Task Ping_is_answered_by_Pong_with_its_token()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        await peer.SendAsync("01e242" + "11e24320" + "0000" + GetX);

        await peer.ExpectAsync("01e342" + "11e34320" + AnswerX);
        await Within(Client.PingAsync(Uri));
    }

    [Fact]
    public async Task A_request_from_before_Release_is_answered_and_the_connection_then_ends()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => answer.Task);
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        await peer.SendAsync("5101bbb4736c6f77" + "00e4");
        await UntilAsync(() => Server.Endpoint.ConnectedPeers.Count == 0, static () => "Release had no effect.");
        answer.SetResult(CoapResults.Text("done"));

        Assert.Equal("6145bbc0ff646f6e65" + "0000", Wire.Hex(await peer.ReceiveToEndAsync()));
        peer.EndSending();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_stopping_server_answers_a_slow_request_and_ends_all_connections()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        TaskCompletionSource called = new(RunContinuationsAsynchronously);
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) =>
        {
            called.SetResult();
            return answer.Task;
        });
        await StartAsync();
        await using AsyncPeer idle = await ConnectAsync();
        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync("5101bbb4736c6f77");
        await Within(called.Task);

        Task stopped = Server.StopAsync();
        await peer.SendAsync(GetX);
        Assert.Equal(CoapCode.ServiceUnavailable, (await peer.ReadMessageAsync()).Code);
        answer.SetResult(CoapResults.Text("done"));
        Assert.Equal("6145bbc0ff646f6e65", await peer.ReadFrameAsync());
        Assert.Equal(CoapCode.Release, (await peer.ReadMessageAsync()).Code);
        Assert.Equal(CoapCode.Release, (await idle.ReadMessageAsync()).Code);

        // Time passes for whoever does not close as Release asks him to.
        while (!stopped.IsCompleted)
        {
            Clock.Advance(FromSeconds(1));
            await Task.Yield();
        }

        await Within(stopped);
        await peer.ReadToAnyEndAsync();
        await idle.ReadToAnyEndAsync();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_peer_that_closed_its_sending_side_still_gets_its_answers()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => answer.Task);
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();

        await peer.SendAsync(GetX + "5101bbb4736c6f77" + GetX);
        peer.EndSending();
        await peer.ExpectAsync(AnswerX + AnswerX);
        answer.SetResult(CoapResults.Text("done"));

        Assert.Equal("6145bbc0ff646f6e65" + "0000", Wire.Hex(await peer.ReceiveToEndAsync()));
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_message_may_arrive_split_at_any_byte()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectRawAsync();
        foreach (byte one in Wire.Hex(LargeCsm + "0000" + "01e242" + GetX))
        {
            await peer.SendAsync(new[] { one });
        }

        await peer.ExpectAsync(OurCsm + "01e342" + AnswerX);
        byte[] two = Wire.Hex("01e242" + GetX);
        for (int cut = 1; cut < two.Length; cut++)
        {
            await peer.SendAsync(two.AsMemory(0, cut));
            await peer.SendAsync(two.AsMemory(cut));
            await peer.ExpectAsync("01e342" + AnswerX);
        }
    }
}
