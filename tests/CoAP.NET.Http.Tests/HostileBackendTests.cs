namespace CoAP.NET.Http.Tests;

/// <summary>HTTP servers that are slow or say too much, and rows of RFC 7252 section 10.1 that depend on header fields.</summary>
public sealed class HostileBackendTests : BackendTest
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task An_endless_response_is_abandoned_and_its_connection_is_closed()
    {
        TaskCompletionSource closed = new(RunContinuationsAsynchronously);
        Web.MapGet("/api/endless", async (HttpContext context) =>
        {
            byte[] chunk = new byte[64 * 1024];
            try
            {
                while (true)
                {
                    // What is written to a closed connection is dropped without an error, until the server notices.
                    context.RequestAborted.ThrowIfCancellationRequested();
                    await context.Response.Body.WriteAsync(chunk, context.RequestAborted);
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or IOException)
            {
                closed.TrySetResult();
            }
        });
        await StartAsync(http => http.MaxBodySize = 100_000);

        CoapResponse response = await GetAsync("endless");

        response.Gives(CoapCode.BadGateway);
        await closed.Task.WaitAsync(s_hang);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_that_is_slow_with_its_response_or_body_is_abandoned(bool hasBegun)
    {
        TaskCompletionSource asked = new(RunContinuationsAsynchronously);
        TaskCompletionSource gone = new(RunContinuationsAsynchronously);
        Web.MapGet("/api/slow", async (HttpContext context) =>
        {
            if (hasBegun)
            {
                await context.Response.WriteAsync("a");
                await context.Response.Body.FlushAsync();
            }

            context.RequestAborted.Register(() => gone.TrySetResult());
            asked.TrySetResult();
            await gone.Task;
        });
        VirtualClock clock = new();
        await StartAsync(http => http.TimeProvider = clock);

        Task<CoapResponse> pending = GetAsync("slow");
        await asked.Task.WaitAsync(s_hang);
        clock.Advance(FromSeconds(60));

        await pending.WaitAsync(s_hang).Gives(CoapCode.GatewayTimeout);
        await gone.Task.WaitAsync(s_hang);
    }

    [Theory]
    [Rfc("7252-10.1-2")]
    [InlineData(429, "7", "4.29", 7)]
    [InlineData(503, "9", "5.03", 9)]
    [InlineData(503, null, "5.03", 60)]
    [InlineData(404, "9", "4.04", 60)]
    public async Task Retry_After_becomes_Max_Age(int status, string? retryAfter, string code, int maxAge)
    {
        Web.MapGet("/api/busy", context =>
        {
            context.Response.StatusCode = status;
            context.Response.Headers.RetryAfter = retryAfter;
            return Task.CompletedTask;
        });
        await StartAsync();

        CoapResponse response = await GetAsync("busy");

        Assert.Equal((code, FromSeconds(maxAge)), (response.Code.ToString()[..4], response.MaxAge));
    }

    [Theory]
    [InlineData("*", "If-Match", "*")]
    [InlineData("none", "If-None-Match", "*")]
    [InlineData("v1", "If-Match", "\"v1\"")]
    [InlineData("\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff", null, null)] // a hash that nobody remembers
    public async Task Conditions_of_a_change_are_those_of_HTTP(string condition, string? field, string? value)
    {
        Web.MapPut("/api/thing", () => Results.NoContent());
        await StartAsync();
        CoapRequest request = new(CoapMethod.Put, Coap + "/b/thing") { Content = CoapContent.Text("x") };
        if (condition == "none")
        {
            request.Options.IfNoneMatch = true;
        }
        else
        {
            request.Options.Add(OptionNumber.IfMatch, condition == "*" ? [] : Encoding.Latin1.GetBytes(condition));
        }

        CoapResponse response = await Client.SendAsync(request);

        Assert.Equal(field is null ? CoapCode.PreconditionFailed : CoapCode.Changed, response.Code);
        Assert.Equal(value, field is null ? null : Seen.Single().Headers[field].ToString());
        Assert.Equal(field is null ? 0 : 1, Seen.Count);
    }

    private Task<CoapResponse> GetAsync(string path) =>
        Client.SendAsync(new CoapRequest(CoapMethod.Get, $"{Coap}/b/{path}") { Timeout = s_hang });
}
