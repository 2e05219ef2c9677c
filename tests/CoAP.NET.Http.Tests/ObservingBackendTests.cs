namespace CoAP.NET.Http.Tests;

/// <summary>Devices that observe a resource of an HTTP server.</summary>
public sealed class ObservingBackendTests : BackendTest
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    [Rfc("7641-5-1")]
    public async Task An_observer_is_notified_of_a_change_that_a_poll_of_the_back_end_finds()
    {
        string value = "a";
        Web.MapGet("/api/config", context =>
        {
            context.Response.Headers.ETag = $"\"{value}\"";
            context.Response.StatusCode = context.Request.Headers.IfNoneMatch == $"\"{value}\"" ? 304 : 200;
            return context.Response.StatusCode == 304 ? Task.CompletedTask : context.Response.WriteAsync(value);
        });
        await StartAsync();

        // The time of polls alone is the test's.
        VirtualClock clock = new();
        await using CoapProxy proxy = new(new CoapProxyOptions { ConfigureClient = options => options.TimeProvider = clock });
        Server.MapHttpBackend("/polled/{*path}", Http + "/api", proxy, http => http.PollInterval = FromSeconds(10));
        TaskCompletionSource changed = new(RunContinuationsAsynchronously);
        CoapObservation observation = await Client.ObserveAsync(
            new CoapRequest(CoapMethod.Get, Coap + "/polled/config"),
            response =>
            {
                if (response.GetText() == "b")
                {
                    changed.TrySetResult();
                }
            });
        Assert.Equal(CoapObserveState.Observing, observation.State);

        value = "b";
        clock.Advance(FromSeconds(10));
        await changed.Task.WaitAsync(s_hang);
        Assert.Equal("\"a\"", Seen.Last().Headers.IfNoneMatch);
        await observation.DisposeAsync();
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(90_000)]
    public void A_poll_interval_must_be_from_a_second_to_a_day(double seconds) => Assert.Throws<ArgumentOutOfRangeException>(
        () => Proxy.UseHttp(http => http.PollInterval = FromSeconds(seconds)));
}
