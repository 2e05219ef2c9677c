using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Servers;

/// <summary>How a server takes part in a cluster, and what is said when that is done wrongly.</summary>
public sealed class AttachTests
{
    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task An_endpoint_and_its_sessions_join_the_cluster_by_a_single_idempotent_call()
    {
        await using CoapCluster cluster = Cluster();
        CoapDtlsServerOptions dtls = Dtls();
        CoapEndpointOptions options = cluster.KeepState(
            cluster.KeepState(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = dtls }), "a"), "a");
        await using CoapServer server = new(options);

        cluster.Attach(server);
        cluster.Attach(server);

        Assert.NotNull(server.ObserverStore);
        Assert.NotNull(KeepingOf(options));
        Assert.Null(dtls.SessionBackup);
    }

    [Fact]
    public async Task Attaching_a_server_whose_sessions_would_end_with_the_process_is_refused()
    {
        await using CoapCluster cluster = Cluster();
        CoapEndpointOptions options = cluster.KeepState(new CoapEndpointOptions()).UseDtls(new CoapDtlsOptions { Server = Dtls() });
        await using CoapServer server = new(options);

        Fault(() => cluster.Attach(server)).Mentions("Call UseDtls first");

        options = cluster.KeepState(new CoapEndpointOptions()).UseDtls(new CoapDtlsOptions { Server = cluster.KeepState(Dtls()) });
        await using CoapServer other = new(options);
        cluster.Attach(other);
    }

    [Fact]
    public async Task State_that_is_already_kept_elsewhere_is_refused_with_the_name_of_the_setting()
    {
        await using CoapCluster cluster = Cluster();
        await using CoapCluster another = Cluster();
        CoapEndpointOptions options = another.KeepState(new CoapEndpointOptions());
        Fault(() => cluster.KeepState(options)).Mentions("ObserverStore");
        Fault(() => another.KeepState(options, "name")).Mentions("ObserverStore");

        CoapDtlsServerOptions dtls = cluster.KeepState(cluster.KeepState(Dtls(), "one"), "one");
        Fault(() => cluster.KeepState(dtls, "two")).Mentions("SessionBackup");
        Fault(() => another.KeepState(dtls, "one")).Mentions("SessionBackup");

        dtls = Dtls();
        dtls.SessionFile = new CoapDtlsServerSessionFile("sessions", new byte[32]);
        Fault(() => cluster.KeepState(dtls)).Mentions("SessionFile");
        Assert.Throws<ArgumentOutOfRangeException>(() => cluster.KeepState(new CoapEndpointOptions(), new string('x', 65)));
    }

    [Fact]
    public async Task A_server_without_cluster_state_or_a_stopped_server_cannot_be_attached()
    {
        CoapCluster cluster = Cluster();
        await using CoapServer stranger = new();
        Fault(() => cluster.Attach(stranger)).Mentions("Call CoapCluster.KeepState");

        CoapServer stopped = new(cluster.KeepState(new CoapEndpointOptions()));
        await stopped.DisposeAsync();
        Fault(() => cluster.Attach(stopped)).Mentions("has stopped");

        await using CoapServer late = new(cluster.KeepState(new CoapEndpointOptions()));
        await cluster.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => cluster.Attach(late));
        Assert.Throws<ObjectDisposedException>(() => cluster.KeepState(new CoapEndpointOptions()));
        Assert.Throws<ObjectDisposedException>(() => cluster.KeepState(Dtls()));
    }

    [Fact]
    public async Task Two_servers_of_a_process_need_two_names_and_a_stopped_server_frees_its_name()
    {
        await using CoapCluster cluster = Cluster();
        CoapServer first = new(cluster.KeepState(new CoapEndpointOptions()));
        cluster.Attach(first);
        await using CoapServer second = new(cluster.KeepState(new CoapEndpointOptions()));
        Fault(() => cluster.Attach(second)).Mentions("its own name");
        await using CoapServer third = new(cluster.KeepState(new CoapEndpointOptions(), "third"));
        cluster.Attach(third);

        await first.DisposeAsync();
        await CoAP.NET.Tests.Eventually.IsTrueAsync(() => cluster.Servers.Count == 1);
        cluster.Attach(second);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_hosted_server_joins_the_cluster_by_a_single_call_with_DTLS_from_configuration_or_code(bool byCode)
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        HostApplicationBuilder builder = new();
        builder.Configuration.AddInMemoryCollection(byCode ? [] : [new("Coap:Server:Dtls:Psk:device-1", "secretPSK-1234567")]);
        builder.Services.AddCoapServer(options =>
        {
            options.Listen("coaps://127.0.0.1:0");
            if (byCode)
            {
                options.Endpoint.UseDtls(new CoapDtlsOptions { Server = Dtls() });
            }
        }).UseDtls().KeepState();
        builder.Services.AddCoapState(options => options.Secrets = ClusterTests.Options().Secrets).UseMemory(_memory);
        using IHost host = builder.Build();

        await host.StartAsync();

        CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
        Assert.Equal(1, cluster.Servers.Count);
        CoapServerOptions options =
            host.Services.GetRequiredService<Microsoft.Extensions.Options.IOptionsMonitor<CoapServerOptions>>().CurrentValue;
        Assert.NotNull(KeepingOf(options.Endpoint));
        await host.StopAsync();
    }

    [Fact]
    public async Task The_error_for_a_hosted_server_without_a_cluster_names_the_missing_call()
    {
        HostApplicationBuilder builder = new();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).KeepState();
        using IHost host = builder.Build();

        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());

        exception.Mentions("AddCoapState");
    }

    private static CoapDtlsServerOptions Dtls() => new() { PskStore = new CoapPskDictionary { { "device-1", "secretPSK-1234567"u8 } } };

    private static CoapDtlsSessionBackupOptions? KeepingOf(CoapEndpointOptions options) =>
        options.FindDtls()!.Server!.SessionBackup;

    private static string Fault(Action action) => Assert.Throws<InvalidOperationException>(action).Message;

    private CoapCluster Cluster() => new(_memory.Open(), ClusterTests.Options(FromHours(1)));
}
