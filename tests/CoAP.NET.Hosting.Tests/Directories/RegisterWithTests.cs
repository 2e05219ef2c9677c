namespace CoAP.NET.Hosting.Tests.Directories;

/// <summary>Hosted servers that are kept registered with resource directories.</summary>
public sealed class RegisterWithTests : HostTest
{
    [Fact]
    public async Task A_server_registers_its_port_when_it_serves_and_is_removed_before_it_stops()
    {
        await using CoapServer other = new();
        SmallDirectory directory = await StartAsync(other);
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().RegisterWith(AddressOf(directory), options =>
        {
            options.EndpointName = "room";
            options.Types.Add("oic.d.sensor");
        }).MapGet("/temperature", () => "21.5").WithResourceType("temperature-c");
        builder.Services.AddHealthChecks().AddCoapRegistrations();
        IHost host = Build(builder);
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);

        await Within(host.StartAsync());
        await Within(RegisteredAsync(host));
        SmallRegistration made = Assert.Single(directory.Registrations);
        Assert.Equal(("room", AddressOf(host)), (made.Name, made.Base));
        Assert.Equal(["et=oic.d.sensor"], made.Others);
        Assert.Equal("</temperature>;rt=\"temperature-c\"", CoapLinkFormat.Format(made.Links));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);

        await Within(host.StopAsync());
        Assert.Empty(directory.Registrations);
        Assert.Equal("DELETE /reg/1/", directory.Requests[^1]);
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task Several_directories_are_configured_and_code_overrides_the_configuration()
    {
        await using CoapServer first = new();
        await using CoapServer second = new();
        SmallDirectory one = await StartAsync(first);
        SmallDirectory two = await StartAsync(second);
        HostApplicationBuilder builder = Builder(
            ("Coap:Servers:edge:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Servers:edge:Directories:0:Uri", AddressOf(one)),
            ("Coap:Servers:edge:Directories:0:Sector", "floor3"),
            ("Coap:Servers:edge:Directories:0:Lifetime", "2h"),
            ("Coap:Servers:edge:Directories:0:Types", "a;b"),
            ("Coap:Servers:edge:Directories:0:Attributes:model", "x1"),
            ("Coap:Servers:edge:Directories:main:Uri", AddressOf(two)),
            ("Coap:Servers:edge:Directories:main:EndpointName", "of-configuration"),
            ("Coap:Servers:edge:Directories:main:Base", "coap://[2001:db8::5]:5683"),
            ("Coap:Servers:edge:Directories:main:RemoveAtEnd", "false"));
        builder.Services.AddCoapServer("edge")
            .RegisterWith(AddressOf(two) + "/", (options, _) => options.EndpointName += "-and-code")
            .MapGet("/x", () => "x");
        IHost host = await StartAsync(builder);
        await Within(RegisteredAsync(host, "edge", 2));

        SmallRegistration registered = Assert.Single(one.Registrations);
        Assert.Equal(("floor3", 7200u, AddressOf(host, "edge")), (registered.Sector, registered.Lifetime, registered.Base));
        registered.Name.Ends("-edge");
        Assert.Equal(["et=a", "et=b", "model=x1"], registered.Others);
        SmallRegistration other = Assert.Single(two.Registrations);
        Assert.Equal(("of-configuration-and-code", "coap://[2001:db8::5]"), (other.Name, other.Base));

        await Within(host.StopAsync());
        Assert.Empty(one.Registrations);
        Assert.Single(two.Registrations);
    }

    [Fact]
    public async Task An_unreachable_directory_does_not_prevent_the_start_or_stop_of_the_application()
    {
        await using CoapServer closed = new();
        await closed.Listen("coap://127.0.0.1:0").StartAsync();
        string nobody = closed.LocalEndpoints[0].Origin();
        await closed.StopAsync();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().RegisterWith(nobody).MapGet("/x", () => "x");
        builder.Services.AddHealthChecks().AddCoapRegistrations(failureStatus: HealthStatus.Degraded);

        IHost host = await StartAsync(builder);
        await Eventually.IsTrueAsync(() => Registrations(host)[0].Status.State == CoapRegistrationState.Waiting);
        (HealthStatus status, string? told) = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, status);
        told.Mentions("Waiting");

        await Within(host.StopAsync());
    }

    [Fact]
    public async Task Errors_in_directory_settings_are_reported_at_the_start()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Server:Directories:0:Uri", "http://rd.example"),
            ("Coap:Server:Directories:1:EndpointName", "no-uri"),
            ("Coap:Server:Directories:2:Uri", "coap://rd.example"),
            ("Coap:Server:Directories:2:EndpointName", new string('x', 64)),
            ("Coap:Server:Directories:2:Lifetime", "0s"),
            ("Coap:Server:Directories:2:Base", "coap://a/b"),
            ("Coap:Server:Directories:2:Lifetme", "1h"));
        builder.Services.AddCoapServer().RegisterWithDirectories().MapGet("/x", () => "x");

        string[] failures = await StartFailuresAsync(builder);

        Assert.Equal(6, failures.Length);
        Assert.Contains(failures,
            text => text.StartsWith("Coap:Server:Directories:0:Uri = 'http://rd.example'", Ordinal));
        Assert.Contains(failures,
            text => text.StartsWith("Coap:Server:Directories:1:Uri names no directory", Ordinal));
        Assert.Contains(failures, text => text.Contains("63 bytes", Ordinal));
        Assert.Contains(failures, text => text.StartsWith("Coap:Server:Directories:2:Lifetime = '0s'", Ordinal));
        Assert.Contains(failures, text => text.Contains("more than the base of an endpoint", Ordinal));
        Assert.Contains(failures, text => text.Contains("Lifetme", Ordinal));
        Assert.Throws<CoAP.NET.CoapFormatException>(() => builder.Services.AddCoapServer().RegisterWith("coap://"));
        Assert.Throws<ArgumentException>(() => builder.Services.AddCoapServer().RegisterWith("/rd"));
    }

    [Fact]
    public async Task The_error_for_configured_directories_without_the_required_call_names_the_call()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Server:Directories:0:Uri", "coap://rd.example"));
        builder.Services.AddCoapServer().MapGet("/x", () => "x");

        string failure = Assert.Single(await StartFailuresAsync(builder));

        failure.Mentions("Call RegisterWithDirectories on what AddCoapServer returns.");
        Assert.Empty(Build(Builder()).Services.GetCoapRegistrations());
    }

    private static async Task<SmallDirectory> StartAsync(CoapServer server)
    {
        SmallDirectory directory = new(server, TimeProvider.System);
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        return directory;
    }

    private static string AddressOf(SmallDirectory directory) => directory.Server.LocalEndpoints[0].Origin();

    private static IReadOnlyList<CoapRegistration> Registrations(IHost host, string name = "") =>
        host.Services.GetCoapRegistrations(name);

    private static async Task RegisteredAsync(IHost host, string name = "", int count = 1)
    {
        Assert.Equal(count, Registrations(host, name).Count);
        foreach (CoapRegistration registration in Registrations(host, name))
        {
            await registration.WhenRegisteredAsync();
        }
    }

    private static async Task<(HealthStatus Status, string? Description)> CheckAsync(IHost host)
    {
        HealthReport report = await Within(host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync());
        HealthReportEntry entry = report.Entries["coap-registrations"];
        return (entry.Status, entry.Description);
    }
}
