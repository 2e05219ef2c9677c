using System.Net.WebSockets;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>A server that stops in order answers what is inside of blocks of users before its WebSockets close.</summary>
public sealed class WebSocketStoppingTests : WebSocketTest
{
    [Fact]
    public async Task A_request_inside_a_user_block_is_answered_before_the_WebSocket_closes()
    {
        TaskCompletionSource goesOn = new(RunContinuationsAsynchronously);
        int held = 0;
        CoapEndpointOptions options = new() { Processes = { StopGracePeriod = FromMinutes(5) } };
        options.Pipeline.Insert(
            CoapStageLinks.ResourceToExchanges, () => new TransformBlock<CoapServerReply, CoapServerReply>(async reply =>
        {
            Interlocked.Increment(ref held);
            await goesOn.Task;
            return reply;
        }));
        Server = new CoapServer(options);
        Server.MapGet("/a", static () => "b");
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, "010153b161");
        await Eventually.IsTrueAsync(() => Volatile.Read(ref held) == 1);

        Task stop = Server.StopAsync();
        Assert.False(stop.IsCompleted);
        goesOn.SetResult();

        HashSet<string> received = [await ReceiveAsync(peer), await ReceiveAsync(peer)];
        Assert.Contains("014553c0ff62", received);
        await peer.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        await stop.WaitAsync(Hang);
        await ended.WaitAsync(Hang);
    }
}
