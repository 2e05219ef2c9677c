using CoAP.NET.Http.Backends;
using CoAP.NET.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Http.Tests;

/// <summary>Requests to an HTTP server that one answer does for.</summary>
public sealed class SharingBackendTests : BackendTest
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task An_answer_that_is_fresh_does_for_later_requests_until_the_resource_is_changed()
    {
        int version = 0;
        Web.MapGet("/api/config", context =>
        {
            context.Response.Headers.CacheControl = "max-age=1000";
            return context.Response.WriteAsync($"{++version}");
        });
        Web.MapPut("/api/config", static () => Results.NoContent());
        await StartAsync();

        Assert.Equal("1", (await GetAsync("config")).GetText());
        CoapResponse kept = await GetAsync("config");
        Assert.Equal("1", kept.GetText());
        Assert.InRange(kept.MaxAge, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1000));
        Assert.Equal("2", (await GetAsync("config", CoapContentFormat.TextPlain)).GetText());
        Assert.Equal(1, Proxy.GetCounters().CacheHits);

        await Client.PutAsync(Server.LocalEndpoints[0] + "/b/config", CoapContent.Text("x"));
        Assert.Equal("3", (await GetAsync("config")).GetText());
        Assert.Equal("4", (await GetAsync("config", CoapContentFormat.TextPlain)).GetText());
    }

    [Theory]
    [InlineData("private, max-age=1000", null)]
    [InlineData("no-store", null)]
    [InlineData("max-age=1000", "*")]
    [InlineData(null, null)]
    public async Task What_is_for_one_or_not_fresh_is_not_kept(string? cacheControl, string? vary)
    {
        int asked = 0;
        Web.MapGet("/api/config", context =>
        {
            context.Response.Headers.CacheControl = cacheControl;
            context.Response.Headers.Vary = vary;
            return context.Response.WriteAsync($"{++asked}");
        });
        await StartAsync();
        await GetAsync("config");
        Assert.Equal("2", (await GetAsync("config")).GetText());
    }

    [Fact]
    public void What_is_kept_is_bounded_and_goes_by_use_and_by_age()
    {
        VirtualClock clock = new();
        AnswerCache cache = new(10_000, clock);
        Store("a", 1_500);
        Store("b", 1_500);
        Store("c", 1_500);
        Store("d", 1_500);
        Assert.NotNull(cache.Find("a", null));
        Store("e", 1_500); // "b" is unused for longest
        Assert.Equal(
            [true, false, true, true, true], ((string[])["a", "b", "c", "d", "e"]).Select(key => cache.Find(key, null) is not null));
        Store("large", 5_000);
        Assert.Null(cache.Find("large", null));

        clock.Advance(TimeSpan.FromSeconds(40));
        Assert.Equal(TimeSpan.FromSeconds(20), cache.Find("a", null)!.Options.MaxAge);
        clock.Advance(TimeSpan.FromSeconds(20));
        Assert.Null(cache.Find("a", null));

        void Store(string key, int size) =>
            cache.Store(key, null, new CoapResult(CoapCode.Content, new byte[size]).WithMaxAge(TimeSpan.FromSeconds(60)));
    }

    [Fact]
    [Rfc("8075-5.5-1")]
    public async Task A_CoAP_server_announces_an_HTTP_proxy_with_its_origin_as_anchor()
    {
        Server.MapGet("/light", () => "on").AnnounceHttpProxy("https://p.example.com/hc/", "?uri={+tu}");
        await Server.StartAsync();

        string links = (await Client.GetAsync(Server.LocalEndpoints[0] + "/.well-known/core?rt=core.hc")).GetText();

        Assert.Equal("</hc/>;anchor=\"https://p.example.com\";rt=\"core.hc\";hct=\"?uri={+tu}\"", links);
        Assert.Throws<ArgumentException>(() => Server.MapGet("/x", () => "x").AnnounceHttpProxy("coap://p.example.com/"));
    }

    private Task<CoapResponse> GetAsync(string path, CoapContentFormat? accept = null) => Client.SendAsync(
        new CoapRequest(CoapMethod.Get, $"{Server.LocalEndpoints[0]}/b/{path}") { Accept = accept, Timeout = s_hang });
}
