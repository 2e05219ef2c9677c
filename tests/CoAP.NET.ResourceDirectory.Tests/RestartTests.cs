using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Hosting;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Registrations outlive the process, and an application needs two lines for it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RestartTests : FolderTest
{
    private const int Endpoints = 50;

    [Fact]
    public async Task A_registration_survives_a_kill_with_its_location_and_its_owner()
    {
        string file = Path.Combine(Folder, "coap.db");
        string left = Path.Combine(Folder, "left.db");
        await using CoapClient client = new();
        string[] locations = new string[Endpoints];
        await using (DirectoryNode node = await StartAsync(file))
        {
            for (int i = 0; i < Endpoints; i++)
            {
                locations[i] = await RegisterAsync(client, node.Uri, $"ep=n{i}&base=coap://b&et=sensor", $"</{i}>;rt=light");
            }

            await client.DeleteAsync(node.Uri + locations[0]).Gives(CoapCode.Deleted);
            await PostAsync(client, node.Uri + locations[1] + "?base=coap://c").Gives(CoapCode.Changed);

            // As a kill leaves it: nothing was told to end.
            File.Copy(file, left);
            if (File.Exists(file + "-wal"))
            {
                File.Copy(file + "-wal", left + "-wal");
            }
        }

        await using DirectoryNode again = await StartAsync(left);

        Assert.Equal(Endpoints - 1, again.Directory.Count);
        await client.GetAsync(again.Uri + "/rd-lookup/res?ep=n1").Says("<coap://c/1>;rt=\"light\"");
        await client.GetAsync(again.Uri + "/rd-lookup/ep?ep=n2")
            .Says($"<{locations[2]}>;ep=\"n2\";base=\"coap://b\";et=\"sensor\";rt=\"core.rd-ep\"");
        await PostAsync(client, again.Uri + locations[0]).Gives(CoapCode.NotFound);
        await PostAsync(client, again.Uri + locations[2]).Gives(CoapCode.Changed);
        Assert.Equal(locations[3], await RegisterAsync(client, again.Uri, "ep=n3&base=coap://b", "</3>"));
        Assert.Equal(DirectoryDecision.NotOwner, (await again.Directory.Core.AskAsync(again.Directory.Core.KeyOf(default, "n4"u8),
            DirectorySlotOwnerRequest.Operation.Remove, new RegistrantIdentity(new DirectoryOwner(1, 2, 3), true, [], 0), null, default,
                default)).Answer);
    }

    [Fact]
    public async Task An_application_with_a_cluster_stores_its_mapped_directory_in_the_cluster()
    {
        await using CoapClient client = new();
        string location;
        using (IHost host = Build())
        {
            await host.StartAsync();
            location = await RegisterAsync(client, UriOf(host), "ep=a&base=coap://a", "</1>;rt=light");
            Assert.Equal(1, host.Services.GetRequiredService<CoapDirectoryServer>().Count);
            await host.StopAsync();
        }

        using IHost again = Build();
        await again.StartAsync();
        await client.GetAsync(UriOf(again) + "/rd-lookup/res?rt=light").Says("<coap://a/1>;rt=\"light\"");
        await PostAsync(client, UriOf(again) + location).Gives(CoapCode.Changed);
        await again.StopAsync();

        IHost Build()
        {
            HostApplicationBuilder builder = new();
            ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
            server.MapResourceDirectory(new CoapDirectoryOptions { Limits = { MaxLinks = 10 } });
            builder.Services.AddCoapState(options => options.Secrets = DirectoryNodes.Options().Secrets)
                .UseSqlite(Path.Combine(Folder, "hosted.db"));
            return builder.Build();
        }
    }

    [Fact]
    public async Task An_application_without_a_cluster_has_a_single_in_memory_directory_for_all_its_servers()
    {
        await using CoapClient client = new();
        HostApplicationBuilder builder = new();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).MapResourceDirectory(
            (options, services) => options.IdentityOf = _ => services.GetRequiredService<IHostEnvironment>().ApplicationName);
        ICoapServerBuilder other = builder.Services.AddCoapServer("other", options => options.Listen("coap://127.0.0.1:0"));
        other.MapResourceDirectory();
        CoapDirectoryOptions given = new();
        builder.Services.AddCoapServer("third").MapResourceDirectory(given);
        Assert.Throws<InvalidOperationException>(() => other.MapResourceDirectory(new CoapDirectoryOptions()));
        using IHost host = builder.Build();
        await host.StartAsync();

        await RegisterAsync(client, UriOf(host), "ep=a&base=coap://a", "</1>");

        string there = host.Services.GetRequiredKeyedService<CoapServer>("other").LocalEndpoints[0].Origin();
        await client.GetAsync(there + "/rd-lookup/res").Says("<coap://a/1>");
        await host.StopAsync();
    }

    [Fact]
    public async Task A_server_starts_without_its_store_and_answers_lookups_5_03_until_the_store_is_available()
    {
        VirtualClock clock = new();
        CoapMemoryCluster memory = new(clock) { IsAway = true };
        await using CoapClient client = new();
        HostApplicationBuilder builder = new();
        builder.Services.AddSingleton<TimeProvider>(clock);
        builder.Services.AddCoapState(options => options.Secrets = DirectoryNodes.Options().Secrets)
            .UseMemory(memory);
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).MapResourceDirectory();
        using IHost host = builder.Build();
        await clock.AdvanceUntilAsync(host.StartAsync(), FromMinutes(1));
        TimeSpan started = clock.Elapsed;
        CoapResponse early = await client.GetAsync(UriOf(host) + "/rd-lookup/ep");
        CoapResponse refused = await PostAsync(client, UriOf(host) + "/rd?ep=a&base=coap://a");

        memory.IsAway = false;
        CoapDirectoryServer directory = host.Services.GetRequiredService<CoapDirectoryServer>();
        await clock.AdvanceUntilAsync(directory.StartAsync(), FromMinutes(10));
        CoapResponse late = await client.GetAsync(UriOf(host) + "/rd-lookup/ep");
        string location = await clock.AdvanceUntilAsync(
            RegisterAsync(client, UriOf(host), "ep=a&base=coap://a", "</1>"), FromMinutes(10));

        Assert.True(started >= FromSeconds(10), $"{started}");
        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (early.Code, early.MaxAge));
        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (refused.Code, refused.MaxAge));
        late.Gives(CoapCode.Content);
        location.Begins("/rd/");
        Assert.Equal(2, directory.GetCounters().Unavailable);
        await clock.AdvanceUntilAsync(host.StopAsync(), FromMinutes(10));
    }

    private static async Task<DirectoryNode> StartAsync(string file)
    {
        CoapCluster cluster = new CoapSqliteClusterOptions { Path = file }.CreateCluster(DirectoryNodes.Options());
        await cluster.StartAsync();
        CoapDirectoryServer directory = new(cluster, new CoapDirectoryOptions { Limits = { Timeout = FromSeconds(20) } });
        await directory.StartAsync();
        CoapServer server = new();
        server.Routes.MapResourceDirectory(directory);
        await server.Listen("coap://127.0.0.1:0").StartAsync();
        return new DirectoryNode(cluster, directory, server, server.LocalEndpoints[0].Origin());
    }

    private static string UriOf(IHost host) => host.Services.GetRequiredService<CoapServer>().LocalEndpoints[0].Origin();

    private static Task<CoapResponse> PostAsync(CoapClient client, string uri) => client.SendAsync(new CoapRequest(CoapMethod.Post, uri));

    private static async Task<string> RegisterAsync(CoapClient client, string uri, string query, string links)
    {
        CoapResponse response = await client.SendAsync(new CoapRequest(CoapMethod.Post, $"{uri}/rd?{query}")
        {
            Content = new CoapContent(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat),
        });
        Assert.True(response.Code == CoapCode.Created, $"{response.Code} {response.GetText()}");
        return DirectoryWorld.LocationOf(response);
    }
}
