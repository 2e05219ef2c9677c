using System.IO.Pipelines;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>Byte streams that the caller is to open, in virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DuplexPipeTimeTests
{
    private const string Uri = "coap+tcp://[fd00::1]/temperature";

    [Fact]
    public async Task A_Connect_callback_fails_after_ConnectTimeout_and_its_late_pipe_is_closed()
    {
        VirtualClock clock = new();
        TaskCompletionSource<CoapDuplexPipe> late = new(RunContinuationsAsynchronously);
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock });
        client.Endpoint.AddTransport(new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions
        {
            Connect = (_, _) => new ValueTask<CoapDuplexPipe>(late.Task),
            Streams = new CoapStreamOptions { ConnectTimeout = FromSeconds(5) },
        }));

        Task<CoapResponse> request = client.GetAsync(Uri);
        await clock.AdvanceUntilAsync(() => request.IsCompleted, FromSeconds(60));
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => request);
        Pipe input = new();
        TaskCompletionSource aborted = new();
        late.SetResult(new CoapDuplexPipe(input.Reader, new Pipe().Writer) { Abort = () => aborted.TrySetResult() });
        await aborted.Task.WaitAsync(FromMinutes(2));

        error.Mentions("5 s (ConnectTimeout)");
    }
}
