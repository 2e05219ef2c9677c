using System.Net;
using System.Net.Sockets;
using CoAP.NET;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Dtls;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Orleans.Configuration;
using Orleans.Hosting;

namespace ClusterSample;

/// <summary>A server, as one writes it: a process of its own, which ends when the one that started it does.</summary>
internal static class Node
{
    public const string Verb = "--node";

    /// <summary>Runs it.</summary>
    /// <param name="name">Its name, which it tells those who ask.</param>
    /// <param name="store">A connection string of PostgreSQL, or a file.</param>
    /// <param name="secret">The secret of the cluster, in hexadecimal.</param>
    public static async Task RunAsync(string name, string store, string secret)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();

        // Standard output is for the address, and Orleans has levels of its own.
        builder.Logging.AddFilter<ConsoleLoggerProvider>(null, LogLevel.Error);

        ICoapClusterBuilder cluster = builder.Services.AddCoapState(options => options.Secrets = [Convert.FromHexString(secret)]);
        if (store.Contains('=', StringComparison.Ordinal))
        {
            // Silos that share a database share the devices, and bring what arrives at the wrong one to the right one.
            cluster.UsePostgreSql(store);
            await CoapOrleansTables.CreateAsync(store);
            builder.UseOrleans(silo => silo
                .Configure<ClusterOptions>(static options => (options.ClusterId, options.ServiceId) = ("meters", "meters"))
                .ConfigureEndpoints(IPAddress.Loopback, FindPort(), gatewayPort: 0)
                .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", store))
                .AddCoap());
        }
        else
        {
            cluster.UseSqlite(store);
        }

        CoapPskDictionary keys = [];
        foreach (CoapPskCredential meter in Meters.Credentials)
        {
            keys.Add(meter);
        }

        CoapDtlsServerOptions dtls = new() { PskStore = keys };
        builder.Services.AddCoapServer(options => options.Listen("coaps://127.0.0.1:0"))
            .ConfigureEndpoint((options, _) => options.UseDtls(new CoapDtlsOptions { Server = dtls }))
            .KeepState()
            .MapGet("/tariff", request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity} {name}"));

        using IHost host = builder.Build();
        await host.StartAsync();
        Console.WriteLine(host.Services.GetRequiredService<CoapServer>().LocalEndpoints[0]);
        await Console.In.ReadToEndAsync();
        await host.StopAsync();
    }

    // A port of TCP that is free now. On machines of their own all silos have the same one.
    private static int FindPort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
