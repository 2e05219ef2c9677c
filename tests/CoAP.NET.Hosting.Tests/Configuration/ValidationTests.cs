using CoAP.NET.Hosting.Clients;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>An application with wrong options does not start, and says everything that is wrong at once.</summary>
public sealed class ValidationTests : HostTest
{
    [Fact]
    public async Task All_configuration_errors_are_reported_before_the_application_starts()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Transports:Shards", "0"), ("Coap:Server:Limits:Observe:MaxObserver", "5"),
            ("Coap:Server:Tls:Certificate", "/nowhere/server.pem"),
            ("Coap:Client:BaseAddress", "device"), ("Coap:Client:Proxy", "coap://gateway.example/path"));
        builder.Services.AddCoapServer();
        builder.Services.AddCoapClient();
        string[] failures = await StartFailuresAsync(builder);

        Assert.Contains("Coap:Server:Transports:Shards = '0': allowed is: whole number, 1 to 64", failures);
        Assert.Contains(
            "Coap:Server:Limits:Observe:MaxObserver is not a known key. Did you mean Coap:Server:Limits:Observe:MaxObservers? "
                + "(Coap:Server:AllowUnknownKeys makes this a warning.)", failures);
        Assert.Contains($"Coap:Server:Tls:Certificate = '/nowhere/server.pem': there is no file {Path.GetFullPath("/nowhere/server.pem")}",
            failures);
        Assert.Contains("Coap:Client:Proxy = 'coap://gateway.example/path': a proxy must be a host. Leave out path and query.", failures);
        Assert.Contains("Coap:Client:BaseAddress = 'device': allowed is: absolute CoAP URI such as coap://device.example/", failures);
    }

    [Fact]
    public async Task A_hosted_service_that_injects_a_client_gets_all_configuration_errors_in_one_exception()
    {
        HostApplicationBuilder builder = WithErrorInEachSection();
        builder.Services.AddHostedService<ServiceWithClient>();
        string[] failures = Assert.IsType<OptionsValidationException>(
            await Assert.ThrowsAnyAsync<Exception>(() => Within(Build(builder).StartAsync()))).Failures.ToArray();

        AssertEachSection(failures);
    }

    [Theory]
    [InlineData(typeof(CoapServer))]
    [InlineData(typeof(CoapProxy))]
    [InlineData(typeof(ICoapClient))]
    public void The_first_service_that_is_resolved_reports_all_configuration_errors(Type first) => AssertEachSection(
        [.. Assert.Throws<OptionsValidationException>(() => Build(WithErrorInEachSection()).Services.GetService(first)).Failures]);

    [Fact]
    public void Options_that_need_the_client_whose_options_are_wrong_report_the_errors_of_the_client()
    {
        HostApplicationBuilder builder = Builder(("Coap:Client:BaseAdress", "coap://h"));
        builder.Services.AddCoapClient();
        builder.Services.AddCoapServer().Configure(static (_, services) => services.GetRequiredService<ICoapClient>());

        Exception error = Assert.ThrowsAny<Exception>(() => Build(builder).Services.GetRequiredService<CoapServer>());
        Assert.IsType<OptionsValidationException>(error).Message.Mentions("Coap:Client:BaseAdress");
    }

    [Fact]
    public async Task Settings_made_in_code_are_validated()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(options =>
        {
            options.Listen("coap://127.0.0.1/path");
            options.Endpoint.Routes = new CoapRoutes();
            options.JoinGroups = true;
            options.Groups.Addresses.Clear();
            options.Tls.Key = "key.pem";
        });
        builder.Services.AddCoapClient("meter", options => options.BaseAddress = new CoapUri("http://x")).UseServer("other");
        string[] failures = await StartFailuresAsync(builder);

        Assert.Contains("Coap:Server:Endpoints has 'coap://127.0.0.1/path': An address to listen on must have no path and no query.", failures);
        Assert.Contains(
            "The CoAP server has the routes of its builder. Map on what AddCoapServer returns instead of setting Endpoint.Routes.",
            failures);
        Assert.Contains("Coap:Server:Groups:Addresses is empty, and Coap:Server:JoinGroups is true. Name at least one group.", failures);
        Assert.Contains("Coap:Server:Tls:Key is set, but Coap:Server:Tls:Certificate names no certificate.", failures);
        Assert.Contains(failures,
            failure => failure.StartsWith("Coap:Clients:meter:BaseAddress = 'http://x': ", Ordinal));
        Assert.Contains("Coap:Clients:meter:Server = 'other': no server was added by this name. Known are: *.", failures);
    }

    [Fact]
    public async Task Unknown_keys_may_be_reported_as_a_warning()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:AllowUnknownKeys", "true"), ("Coap:Server:Futuristic", "1"),
            ("Mine:AllowUnknownKeys", "true"), ("Mine:BaseAdress", "coap://h"), ("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer();
        builder.Services.AddCoapClient(builder.Configuration.GetSection("Mine")).UseServer();
        (await StartAsync(builder)).Services.GetRequiredService<ClientFactory>().GetClient();
        Assert.Contains(Logged.Entries,
            entry => entry.Id == 1802
                && entry.Text.StartsWith("Mine:BaseAdress is not a known key. Did you mean Mine:BaseAddress?",
                    Ordinal));
        Assert.Contains(Logged.Entries,
            entry => entry.Id == 1802
                && entry.Text.StartsWith("Coap:Server:Futuristic is not a known key.", Ordinal));
    }

    [Fact]
    public async Task Error_messages_name_the_custom_section()
    {
        HostApplicationBuilder builder = Builder(("Gateway:Coap:Transports:Shards", "100"), ("Gateway:North:Transports:Shards", "200"));
        builder.Services.AddCoapServer(builder.Configuration.GetSection("Gateway:Coap"));
        builder.Services.AddCoapServer("north", builder.Configuration.GetSection("Gateway:North"));
        string[] failures = await StartFailuresAsync(builder);
        Assert.Equal(["Gateway:Coap:Transports:Shards = '100': allowed is: whole number, 1 to 64",
            "Gateway:North:Transports:Shards = '200': allowed is: whole number, 1 to 64"], failures.Order());
    }

    [Fact]
    public async Task The_error_for_a_secured_address_without_a_certificate_names_the_keys_of_both_protocols()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coaps+tcp://127.0.0.1:0"));
        builder.Services.AddCoapServer();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        failure.Begins(
            "Coap:Server:Endpoints has an address that the server cannot listen on. "
            + "'coaps+tcp://127.0.0.1:0': a TLS server needs a certificate.");
        failure.Ends("Coap:Server:Tls:Certificate.");
    }

    [Fact]
    public async Task The_error_for_a_WebSocket_address_names_the_web_server_and_no_certificate()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap+ws://127.0.0.1:0"));
        builder.Services.AddCoapServer();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        failure.Mentions("MapCoapWebSocket");
        failure.Omits("Tls:Certificate");
    }

    private HostApplicationBuilder WithErrorInEachSection()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Client:BaseAdress", "coap://h"), ("Coap:Clients:meter:BaseAddress", "device"), ("Coap:Server:Endpoint", "coap://*"),
            ("Coap:Server:Parameters:AckTimeout", "5"), ("Coap:Server:Directories:0:Uri", "nowhere"), ("Coap:Proxy:Forwrd", "true"));
        builder.Services.AddCoapClient();
        builder.Services.AddCoapClient("meter");
        builder.Services.AddCoapServer().RegisterWithDirectories().AddCoapProxy();
        return builder;
    }

    private static void AssertEachSection(string[] failures)
    {
        string[] keys = ["Coap:Client:BaseAdress is", "Coap:Clients:meter:BaseAddress =", "Coap:Server:Endpoint is",
            "Coap:Server:Parameters:AckTimeout =", "Coap:Server:Directories:0:Uri =", "Coap:Proxy:Forwrd is"];
        Assert.All(keys, key => Assert.Single(failures, failure => failure.StartsWith(key, Ordinal)));
        Assert.Equal(keys.Length, failures.Length);
    }

    private sealed class ServiceWithClient(ICoapClient client) : BackgroundService
    {
        protected override Task ExecuteAsync(CancellationToken stoppingToken) => client.GetAsync("/", stoppingToken);
    }
}
