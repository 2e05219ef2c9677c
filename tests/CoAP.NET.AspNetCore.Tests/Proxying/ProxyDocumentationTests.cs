namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>The snippets of docs/http-proxy.md, so that they compile and do what the page says.</summary>
public sealed class ProxyDocumentationTests : ProxyTest
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("http-proxy.md", "Proxying", 4, "CoAP.NET.AspNetCore.Tests");

    [Fact]
    public async Task Devices_get_requests_over_their_own_connections()
    {
        ConcurrentDictionary<string, CoapPeer> registered = [];
        Coap.Listen("coap+tcp://127.0.0.1:0");
        Coap.MapPost("/hello/{id}", request =>
        {
            registered[request.Route["id"]] = request.Peer;
            return CoapResults.Changed();
        });
        await Coap.StartAsync();
        await StartAsync(
            app =>
            {
                app.UseAuthentication();
                app.UseAuthorization();

                app.MapCoapDevices("/devices/{id}/{**path}", context =>
                    registered.GetValueOrDefault((string)context.Request.RouteValues["id"]!))
                    .RequireAuthorization();

                app.MapCoapDevices("/open/{id}/{**path}", context =>
                    registered.GetValueOrDefault((string)context.Request.RouteValues["id"]!));
            },
            services: services =>
            {
                services.AddAuthentication("cookie").AddCookie("cookie");
                services.AddAuthorization();
            });
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");
        CoapRoutes routes = new();
        routes.MapPut("/3/0/a b", request => $"{request.GetText()} {string.Join(' ', request.Queries)}");
        routes.MapPost("/3", () => CoapResults.Created("/3/7"));
        await using CoapClient device = new(new CoapEndpointOptions { Routes = routes });
        using HttpResponseMessage absent = await SendAsync("GET", "/open/1/3/0");
        await device.PostAsync(Coap.LocalEndpoints[1] + "hello/1", null);

        using HttpResponseMessage put = await SendAsync("PUT", "/open/1/3/0/a%20b?x=%26", new StringContent("on"));
        using HttpResponseMessage created = await SendAsync("POST", "/open/1/3");
        using HttpResponseMessage closed = await SendAsync("PUT", "/devices/1/3/0/a%20b", new StringContent("on"));

        Assert.Equal(HttpStatusCode.BadGateway, absent.StatusCode);
        Assert.Equal("on x=&", await put.Content.ReadAsStringAsync());
        Assert.Equal("/open/1/3/7", created.Headers.Location!.OriginalString);
        Assert.Equal(HttpStatusCode.Redirect, closed.StatusCode);
    }

    [Fact]
    public async Task Resources_and_a_proxy_are_mapped()
    {
        CoapServer server = Coap;
        server.MapGet("/light", () => "on").AnnounceHttpProxy("https://p.example.com/hc/");
        await Coap.StartAsync();
        Dictionary<string, string> devices = new() { ["1"] = Origin };
        await StartAsync(
            app =>
            {
                app.UseAuthentication();
                app.UseAuthorization();

                app.MapCoapResource("/rooms/{id}", "coap://[2001:db8::5]/lights/{id}");

                app.MapCoapResource("/devices/{id}/light", context =>
                    devices.TryGetValue((string)context.Request.RouteValues["id"]!, out string? address)
                        ? CoapUri.Parse($"{address}/light") : null);

                app.MapCoapProxy("/hc/{**target}", proxy =>
                {
                    proxy.Targets.AllowHost("*.sensors.example.com");
                    proxy.Targets.AllowNetwork("2001:db8:7::/48");
                }).RequireAuthorization();
                app.MapCoapProxyDiscovery();
            },
            services: services =>
            {
                services.AddAuthentication("cookie").AddCookie("cookie");
                services.AddAuthorization();
            });
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        Assert.Equal("on", await Http.GetStringAsync(new Uri("/devices/1/light", UriKind.Relative)).WaitAsync(Hang));
    }
}
