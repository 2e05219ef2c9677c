using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Requests;

/// <summary>The snippets of docs/freshness.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FreshnessDocumentationTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("freshness.md", "Requests", 7);

    [Fact]
    public async Task RequireFreshness_makes_the_client_repeat_its_request_with_an_Echo()
    {
        int runs = 0;
        CoapResult Unlock()
        {
            runs++;
            return CoapResults.Changed();
        }

        server.MapPut("/lock", Unlock).RequireFreshness(TimeSpan.FromSeconds(10));
        server.MapPost("/alarm",
            request => request.IsFresh(TimeSpan.FromSeconds(10)) ? CoapResults.Changed() : CoapResults.FreshnessRequired());
        await StartAsync();
        await RunAsync(async () =>
        {
            await client.PutAsync("coap://[::1]/lock", null).Gives(CoapCode.Changed);
            await client.PostAsync("coap://[::1]/alarm", null).Gives(CoapCode.Changed);
        });
        Assert.Equal(1, runs);
        Assert.InRange(server.Counters[CoapCounter.EchoChallenges], 1, 2);
    }

    [Fact]
    public void Amplification_limits_and_trusted_prefixes_can_be_configured()
    {
        CoapEndpointOptions options = new();
        options.Limits.Peers.TrustedPrefixes.Add(IPNetwork.Parse("10.20.0.0/16"));
        options.Limits.Amplification.SourceBytesPerMinute = 64 * 1024;
        Assert.Equal(3, options.Limits.Peers.TrustedPrefixes.Count);
    }

    [Fact]
    public async Task A_client_waits_after_4_29_as_the_page_says()
    {
        static CoapResult Store(CoapRequestContext request) => CoapResults.Changed();
        Tokens tokens = new();
        server.MapPost("/measurements", Store)
            .RequireFreshness(TimeSpan.FromMinutes(1))
            .RequireRateLimiting(request => tokens.TryTake(request.Peer.Source) ? null : TimeSpan.FromSeconds(30));
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapRequest request = new(CoapMethod.Post, "coap://[::1]/measurements") { TooManyRequests = CoapTooManyRequestsBehavior.Wait };
            await client.SendAsync(request).Gives(CoapCode.Changed);
        });
        Assert.Equal(1, server.Counters[CoapCounter.RequestsLimited]);
        Assert.True(Clock.Elapsed >= TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task A_client_can_suppress_responses()
    {
        server.MapPut("/position", () => CoapResults.Changed());
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapRequest report = new(CoapMethod.Put, "coap://[::1]/position")
            {
                Content = CoapContent.Text("52.5, 13.4"),
                Confirmable = false
            };
            await client.SendWithoutResponseAsync(report, cancellationToken);

            CoapResponse answer = await client.SendAsync(report, NoResponseClasses.Success, cancellationToken);
            Assert.True(answer.IsNone);
        });
        Assert.Equal(2, server.Counters[CoapCounter.ResponsesNotWanted]);
    }

    // Lets every second one pass.
    private sealed class Tokens
    {
        private int _asked;

        public bool TryTake(CoapQuotaSource source) => source.Identity is null && ++_asked % 2 == 0;
    }
}
