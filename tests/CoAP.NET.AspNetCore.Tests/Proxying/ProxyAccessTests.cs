using Microsoft.Extensions.Hosting;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Who may ask a proxy of a web application, and for whom.</summary>
public sealed class ProxyAccessTests : ProxyTest
{
    [Theory]
    [InlineData("coap://127.0.0.1/")]
    [InlineData("coap://%5B::1%5D/")]
    [InlineData("coap://10.0.0.1/")]
    [InlineData("coap://192.0.2.1/")]
    [InlineData("coap://localhost/")]
    [InlineData("coap://sensor.example.com/")]
    public async Task A_target_that_is_not_allowed_is_answered_403(string target)
    {
        await StartProxyAsync(allow: false);
        using HttpResponseMessage response = await SendAsync("GET", "/hc/" + target);
        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
    }

    [Fact]
    public async Task A_request_to_an_allowed_name_with_a_forbidden_address_is_refused()
    {
        await StartProxyAsync(
            proxy =>
            {
                proxy.Targets.AllowHost("*.example.com");
                proxy.ConfigureClient = endpoint => endpoint.Transports.ResolveHost = (_, _) =>
                    Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
            },
            allow: false);
        string port = Origin.Split(':')[^1];
        using HttpResponseMessage response = await SendAsync("GET", $"/hc/coap://sensor.example.com:{port}/seen");
        using HttpResponseMessage events = await SendAsync(
            "GET", $"/hc/coap://sensor.example.com:{port}/seen", change: request =>
                request.Headers.Accept.Add(new("text/event-stream")));

        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        Assert.Equal(HttpStatusCode.Forbidden, events.StatusCode);
        Assert.Empty(Seen);
    }

    [Fact]
    public async Task A_host_name_may_be_requested_when_its_address_is_in_an_allowed_network()
    {
        List<string> lookedUp = [];
        await StartProxyAsync(proxy =>
        {
            proxy.Targets.AllowHost("*.lan:*");
            proxy.ConfigureClient = endpoint => endpoint.Transports.ResolveHost = (name, _) =>
            {
                lookedUp.Add(name);
                return Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
            };
        });
        string port = Origin.Split(':')[^1];
        Assert.Equal("hello", await Http.GetStringAsync(new Uri($"/hc/coap://any.lan:{port}/text", UriKind.Relative)));

        // Other names are not even looked up.
        using HttpResponseMessage other = await SendAsync("GET", $"/hc/coap://any.example:{port}/text");
        Assert.Equal(HttpStatusCode.Forbidden, other.StatusCode);
        Assert.Equal(["any.lan"], lookedUp);
    }

    [Theory]
    [Rfc("8075-8.4-1")]
    [InlineData("coap://224.0.1.187/x")]
    [InlineData("coap://%5Bff02::fd%5D/x")]
    public async Task Requests_to_groups_are_never_forwarded(string target)
    {
        await StartProxyAsync(proxy => proxy.Targets.AllowHost("*").AllowNetwork("224.0.0.0/4").AllowNetwork("ff00::/8"));
        using HttpResponseMessage response = await SendAsync("GET", "/hc/" + target);
        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
    }

    [Theory]
    [Rfc("8075-5.3.1-1")]
    [InlineData("/hc/")]
    [InlineData("/hc/s.example.com/light")]
    [InlineData("/hc/http://127.0.0.1/")]
    [InlineData("/hc/file:///etc/passwd")]
    [InlineData("/hc/coap://user@127.0.0.1/")]
    public async Task An_invalid_target_is_answered_400(string uri)
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("GET", uri);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
    }

    [Fact]
    [Rfc("8075-10.3-1")]
    public async Task Secured_targets_are_available_to_HTTPS_clients_only()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("GET", "/hc/coaps://127.0.0.1:1/");
        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        (await response.Content.ReadAsStringAsync()).Mentions("https");
    }

    [Fact]
    [Rfc("8768-5-1")]
    public async Task Hops_are_counted_over_both_protocols()
    {
        await StartProxyAsync();
        using HttpResponseMessage plain = await SendAsync("GET", $"/hc/{Origin}/seen");
        using HttpResponseMessage counted =
            await SendAsync("GET", $"/hc/{Origin}/seen", change: request => request.Headers.Add("CoAP-Hop-Limit", "5"));
        using HttpResponseMessage last =
            await SendAsync("GET", $"/hc/{Origin}/seen", change: request => request.Headers.Add("CoAP-Hop-Limit", "1"));

        Assert.Equal([16, 4], Seen.Select(request => request.Options.HopLimit));
        Assert.Equal(HttpStatusCode.LoopDetected, last.StatusCode);
    }

    [Fact]
    public async Task A_source_is_limited_in_its_requests_and_an_aborted_request_frees_its_capacity()
    {
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        Coap.MapGet("/never", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            begun.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Changed();
        });
        await StartProxyAsync(proxy => proxy.MaxRequestsPerSource = 1);
        using CancellationTokenSource gone = new();
        Task<HttpResponseMessage> first = Http.GetAsync(new Uri($"/hc/{Origin}/never", UriKind.Relative), gone.Token);
        await begun.Task.WaitAsync(Hang);

        using HttpResponseMessage refused = await SendAsync("GET", $"/hc/{Origin}/text");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
        Assert.NotNull(refused.Headers.RetryAfter);

        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        using CancellationTokenSource hang = new(Hang);
        HttpStatusCode status;
        do
        {
            hang.Token.ThrowIfCancellationRequested();
            using HttpResponseMessage later = await SendAsync("GET", $"/hc/{Origin}/text");
            status = later.StatusCode;
        }
        while (status == HttpStatusCode.ServiceUnavailable);

        Assert.Equal(HttpStatusCode.OK, status);
    }

    [Fact]
    [Rfc("8075-10-1")]
    public async Task An_application_with_a_proxy_open_to_everybody_ends()
    {
        int exitCode = await ProcessExitCode.OfAsync(async () =>
        {
            await StartAsync(application =>
                application.MapCoapProxy("/hc/{**target}", proxy => proxy.Targets.AllowHost("*")));
            await Application!.WaitForShutdownAsync().WaitAsync(Hang);
        });

        Assert.Equal(1, exitCode);
    }

    [Fact]
    [Rfc("8075-10-1")]
    public async Task A_user_who_is_not_authorized_is_not_served()
    {
        await Coap.StartAsync();
        await StartAsync(
            application =>
            {
                application.UseAuthentication();
                application.UseAuthorization();
                application.MapCoapProxy("/hc/{**target}", proxy =>
                    proxy.Targets.AllowNetwork("127.0.0.0/8:*")).RequireAuthorization();
            },
            services: services =>
            {
                services.AddAuthentication("cookie").AddCookie("cookie");
                services.AddAuthorization();
            });
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        using HttpResponseMessage response = await SendAsync("GET", $"/hc/{Origin}/seen");

        Assert.Equal(HttpStatusCode.Redirect, response.StatusCode);
        Assert.Empty(Seen);
    }
}
