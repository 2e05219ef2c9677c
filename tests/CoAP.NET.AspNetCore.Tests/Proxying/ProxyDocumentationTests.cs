using CoAP.NET.Tests.Shared;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>The snippets of docs/http-proxy.md, so that they compile and do what the page says.</summary>
public sealed class ProxyDocumentationTests : ProxyTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("http-proxy.md", "Proxying", 3, "CoAP.NET.AspNetCore.Tests");

    [Fact]
    public async Task Resources_and_a_proxy_are_mapped()
    {
        Coap.MapGet("/light", () => "on");
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
            services: static services =>
            {
                services.AddAuthentication("cookie").AddCookie("cookie");
                services.AddAuthorization();
            });
        Http.BaseAddress = new Uri($"http://127.0.0.1:{Port}");

        Assert.Equal("on", await Http.GetStringAsync(new Uri("/devices/1/light", UriKind.Relative)).WaitAsync(Hang));
    }
}
