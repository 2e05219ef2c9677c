using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace CoAP.NET.Http.Tests;

/// <summary>Large bodies of devices on their way to a back end that does not want them, or from a device that goes.</summary>
public sealed class UploadTests : BackendTest
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Theory]
    [InlineData(413, "4.13")]
    [InlineData(403, "4.03")]
    [InlineData(503, "5.03")]
    public async Task The_response_of_a_back_end_that_refuses_a_body_unread_is_passed_on(int status, string code)
    {
        Web.MapPut("/api/unread/refused", () => Results.StatusCode(status));
        await StartAsync();

        CoapResponse response = await Client.SendAsync(new CoapRequest(CoapMethod.Put, $"{Coap}/b/unread/refused")
        {
            Content = CoapContent.Text(new string('a', 300_000)),
            Timeout = s_hang,
        });

        Assert.Equal(code, response.Code.ToString()[..4]);
        Assert.Equal((1, 0), (Proxy.GetCounters().StreamedUploads, Proxy.GetCounters().InProgress));
    }

    [Fact]
    public async Task A_device_that_disconnects_during_an_upload_cancels_the_request_to_the_back_end()
    {
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        TaskCompletionSource<int> ended = new(RunContinuationsAsynchronously);
        Web.MapPut("/api/unread/left", async (HttpContext context) =>
        {
            context.Features.Get<IHttpMinRequestBodyDataRateFeature>()!.MinDataRate = null;
            byte[] buffer = new byte[4096];
            int read = 0;
            try
            {
                while (await context.Request.Body.ReadAsync(buffer, context.RequestAborted) is > 0 and var more)
                {
                    read += more;
                    begun.TrySetResult();
                }

                ended.TrySetException(new InvalidOperationException("It looks like a whole body."));
            }
            catch (Exception exception) when (exception is IOException or OperationCanceledException)
            {
                ended.TrySetResult(read);
            }
        });
        Server.Listen("coap+tcp://127.0.0.1:0");
        await StartAsync();
        CoapClient device = new();
        using CancellationTokenSource leaving = new();
        Task<CoapResponse> sending = device.SendAsync(
            new CoapRequest(CoapMethod.Put, $"{Server.LocalEndpoints[1]}b/unread/left")
            {
                Content = CoapContent.Stream(new Stalling(100_000), CoapContentFormat.OctetStream),
                BlockSize = 1024,
            },
            leaving.Token);
        await begun.Task.WaitAsync(s_hang);

        await device.DisposeAsync();
        await leaving.CancelAsync();

        Assert.InRange(await ended.Task.WaitAsync(s_hang), 1, 100_000);
        await Assert.ThrowsAnyAsync<Exception>(() => sending);
    }

    /// <summary>A body that stops in the middle.</summary>
    private sealed class Stalling(int length) : MemoryStream
    {
        private int _left = length;

        public override bool CanSeek => false;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = Math.Min(_left, buffer.Length);
            if (read == 0)
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            }

            _left -= read;
            buffer.Span[..read].Clear();
            return read;
        }
    }
}
