using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using CoAP.NET.Tests;
using CoAP.NET.Tests.Transports.Tcp;

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
    [InlineData(null)]
    [InlineData(true)]
    public async Task Two_devices_on_TLS_without_certificates_are_notified_only_of_what_the_back_end_has_for_them(bool? sameForAll)
    {
        ConcurrentDictionary<string, int> numbers = [];
        Web.MapGet("/api/secret", context =>
        {
            string claims = context.Request.Headers.Authorization.ToString().Split('.')[1];
            using JsonDocument token = JsonDocument.Parse(System.Buffers.Text.Base64Url.DecodeFromChars(claims));
            string device = token.RootElement.GetProperty("sub").GetString()!;
            return context.Response.WriteAsync($"secret of {device} {numbers.GetValueOrDefault(device)}");
        });
        await StartAsync();
        VirtualClock clock = new();
        await using CoapProxy proxy = new(new CoapProxyOptions { ConfigureClient = options => options.TimeProvider = clock });
        using X509Certificate2 certificate = Certificates.Make("gateway");
        await using CoapServer server = new(new CoapEndpointOptions
        {
            Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions { ServerCertificate = certificate } },
        });
        ConcurrentDictionary<CoapPeer, string> names = [];
        server.MapPost("/login", request =>
        {
            names[request.Peer] = Encoding.UTF8.GetString(request.Payload.Span);
            return CoapResults.Changed();
        });
        CoapRouteHandlerBuilder route = server.MapHttpBackend("/polled/{*path}", Http + "/api", proxy, http =>
        {
            http.Identity = request => names[request.Peer];
            http.IdentityKey = new byte[32];
            http.PollInterval = FromSeconds(10);

            // Requests time out in real time: the polls' clock runs on while the back end answers.
            http.TimeProvider = TimeProvider.System;
        });
        route.Observable(observe => observe.SameForAll = sameForAll);
        await server.Listen("coaps+tcp://127.0.0.1:0").StartAsync();
        string uri = server.LocalEndpoints[0].Origin();
        await using CoapClient alice = await LogInAsync("alice");
        await using CoapClient bob = await LogInAsync("bob");
        (ConcurrentQueue<string> Heard, CoapObservation Observation)[] both = [await ObserveAsync(alice), await ObserveAsync(bob)];

        // Each change is that of one device, and the proxy polls for both.
        foreach (string device in (string[])["alice", "bob", "alice", "bob"])
        {
            numbers.AddOrUpdate(device, 1, (_, number) => number + 1);
            CoapObservation observation = both[device == "alice" ? 0 : 1].Observation;
            string expected = $"secret of {device} {numbers[device]}";
            await Eventually.IsTrueAsync(() =>
            {
                clock.Advance(FromSeconds(10));
                return observation.Latest!.GetText() == expected;
            });
        }

        Assert.All(both[0].Heard, heard => Assert.StartsWith("secret of alice", heard, Ordinal), throwIfEmpty: true);
        Assert.All(both[1].Heard, heard => Assert.StartsWith("secret of bob", heard, Ordinal), throwIfEmpty: true);

        async Task<CoapClient> LogInAsync(string device)
        {
            CoapClient client = new(new CoapEndpointOptions
            {
                Tls = new CoapTlsOptions
                {
                    Client = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = Certificates.Any },
                },
            });
            await client.PostAsync($"{uri}/login", CoapContent.Text(device)).WaitAsync(s_hang).Gives(CoapCode.Changed);
            return client;
        }

        async Task<(ConcurrentQueue<string> Heard, CoapObservation Observation)> ObserveAsync(CoapClient client)
        {
            ConcurrentQueue<string> heard = [];
            CoapObservation observation = await client.ObserveAsync(
                new CoapRequest(CoapMethod.Get, $"{uri}/polled/secret"), response => heard.Enqueue(response.GetText())).WaitAsync(s_hang);
            Assert.Equal(CoapObserveState.Observing, observation.State);
            return (heard, observation);
        }
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(90_000)]
    public void A_poll_interval_must_be_from_a_second_to_a_day(double seconds) => Assert.Throws<ArgumentOutOfRangeException>(
        () => Proxy.UseHttp(http => http.PollInterval = FromSeconds(seconds)));
}
