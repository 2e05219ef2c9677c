using CoAP.NET.Hosting.Server;
using Microsoft.AspNetCore.HostFiltering;

namespace CoAP.NET.AspNetCore.Tests;

/// <summary>The host names under which a browser may open a page (protection from DNS rebinding).</summary>
public sealed class HostHeaderCheckTests
{
    [Theory]
    [InlineData("localhost:8080", "127.0.0.1", true)]
    [InlineData("127.0.0.1:8080", "127.0.0.1", true)]
    [InlineData("[::1]:8080", "::1", true)]
    [InlineData("192.0.2.1", "127.0.0.1", true)]
    [InlineData("evil.test:8080", "127.0.0.1", false)]
    [InlineData("evil.test:8080", "::1", false)]
    [InlineData("evil.test:8080", "::ffff:127.0.0.1", false)]
    [InlineData("evil.test:8080", "192.0.2.7", true)]
    public void A_local_request_is_allowed_only_with_a_host_name_that_no_other_site_can_have(string host, string remote, bool isAllowed) =>
        Assert.Equal(isAllowed, HostHeaderCheck.AreAllowed(Ask(host, remote), [], isAnonymous: false));

    [Theory]
    [InlineData("evil.test", false)]
    [InlineData("localhost", true)]
    [InlineData("192.0.2.1:8080", true)]
    public void A_page_without_authentication_requires_an_allowed_host_name_from_any_address(string host, bool isAllowed) =>
        Assert.Equal(isAllowed, HostHeaderCheck.AreAllowed(Ask(host, "192.0.2.7"), [], isAnonymous: true));

    [Theory]
    [InlineData("app.example", true)]
    [InlineData("APP.example:8443", true)]
    [InlineData("evil.test", false)]
    public void Allowed_host_names_are_those_of_the_options_addresses_and_localhost(string host, bool isAllowed)
    {
        HashSet<string> allowed = new(StringComparer.OrdinalIgnoreCase) { "app.example" };

        Assert.Equal(isAllowed, HostHeaderCheck.AreAllowed(Ask(host, "127.0.0.1"), allowed, isAnonymous: false));
        Assert.Equal(isAllowed, HostHeaderCheck.AreAllowed(Ask(host, "192.0.2.7"), allowed, isAnonymous: true));
    }

    [Theory]
    [InlineData("app.example", true)]
    [InlineData("*", false)]
    public void The_AllowedHosts_setting_of_the_application_applies_unless_it_allows_all_hosts(string setting, bool isAllowed) =>
        Assert.Equal(isAllowed, HostHeaderCheck.AreAllowed(Ask("app.example", "127.0.0.1", setting), [], isAnonymous: true));

    private static DefaultHttpContext Ask(string host, string remote, string? setting = null)
    {
        ServiceCollection services = new();
        services.AddOptions();
        if (setting is not null)
        {
            services.Configure<HostFilteringOptions>(options => options.AllowedHosts = [setting]);
        }

        DefaultHttpContext context = new() { RequestServices = services.BuildServiceProvider() };
        context.Request.Host = new HostString(host);
        context.Connection.RemoteIpAddress = IPAddress.Parse(remote);
        return context;
    }
}
